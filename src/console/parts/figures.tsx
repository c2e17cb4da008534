/** Small displays of figures: a badge, a figure with its name, a bar, a gauge. */
import type { ComponentChildren } from 'preact'

export type Tone = 'plain' | 'good' | 'warn' | 'bad'

export function Badge({ tone = 'plain', children }: { readonly tone?: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>
}

type FigureProps = { readonly name: string; readonly value: ComponentChildren; readonly note?: ComponentChildren }

export function Figure({ name, value, note }: FigureProps) {
  return (
    <div class="figure">
      <span class="faint small">{name}</span>
      <strong>{value}</strong>
      {note && <span class="faint small">{note}</span>}
    </div>
  )
}

type BarProps = { readonly label: string; readonly value: number; readonly max: number; readonly tone?: Tone }

/** How much of `max` is used. */
export function Bar({ label, value, max, tone = 'plain' }: BarProps) {
  return <meter class={`bar ${tone}`} aria-label={label} min={0} max={max > 0 ? max : 1} value={value} />
}

type GaugeProps = {
  readonly label: string
  /** The filled part, from 0 to 1. */
  readonly ratio: number
  readonly tone?: Tone
  /** Stands in the middle. */
  readonly children: ComponentChildren
}

const radius = 52
/** The gauge is open at its bottom: it spans 270 degrees. */
const arc = 2 * Math.PI * radius * 0.75

export function Gauge({ label, ratio, tone = 'plain', children }: GaugeProps) {
  const filled = arc * Math.min(1, Math.max(0, ratio))
  const circle = { cx: 60, cy: 60, r: radius, fill: 'none', 'stroke-width': 9, 'stroke-linecap': 'round' } as const
  return (
    <div class={`gauge ${tone}`} role="img" aria-label={label}>
      <svg viewBox="0 0 120 120" aria-hidden="true">
        <g transform="rotate(135 60 60)">
          <circle {...circle} class="rest" stroke-dasharray={`${arc} 999`} />
          {filled > 0 && <circle {...circle} class="filled" stroke-dasharray={`${filled} 999`} />}
        </g>
      </svg>
      <div class="gauge-middle">{children}</div>
    </div>
  )
}
