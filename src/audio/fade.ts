/** In-place raised-cosine fades. The outermost sample becomes exactly zero. */

export function fadeIn(samples: Float32Array, fadeSamples: number): void {
  for (let i = 0; i < fadeSamples; i++) samples[i]! *= raisedCosine(i / fadeSamples)
}

export function fadeOut(samples: Float32Array, fadeSamples: number): void {
  const last = samples.length - 1
  for (let i = 0; i < fadeSamples; i++) samples[last - i]! *= raisedCosine(i / fadeSamples)
}

/** Rises from 0 at 0 to 1 at 1, with zero slope at both ends. */
export function raisedCosine(position: number): number {
  return 0.5 - 0.5 * Math.cos(Math.PI * position)
}
