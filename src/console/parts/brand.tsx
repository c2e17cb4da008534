/** The mark of the service with the name of the installation. */
import { at, installation } from '../installation'

/** Heights of the bars, of 24. */
const bars = [6, 14, 20, 11, 16, 5]

export function Brand() {
  return (
    <a class="brand" href={at('/')}>
      <svg width="28" height="28" viewBox="0 0 24 24" fill="currentColor" aria-hidden="true">
        {bars.map((height, i) => (
          <rect key={i} x={0.6 + i * 4} y={12 - height / 2} width="2.6" height={height} rx="1.3" />
        ))}
      </svg>
      {installation.name}
    </a>
  )
}
