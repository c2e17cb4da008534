/** A choice between a few things that all stand side by side. */
type Props<Value extends string> = {
  readonly label: string
  /** Whether only screen readers get the label. */
  readonly isLabelHidden?: boolean
  readonly name: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onValue: (value: Value) => void
}

export function Segments<Value extends string>(props: Props<Value>) {
  const { label, isLabelHidden = false, name, value, options, onValue } = props
  return (
    <fieldset class="field segments">
      <legend class={isLabelHidden ? 'hidden' : 'legend'}>{label}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onValue(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  )
}
