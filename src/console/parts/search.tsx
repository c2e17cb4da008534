/** A field that searches while one types. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { words } from '../words/words'
import { TextField } from './form'

const waitMs = 250

type Props = {
  readonly label?: string
  readonly placeholder?: string
  readonly value: string
  /** Runs when typing has paused. */
  readonly onSearch: (text: string) => void
}

export function SearchField({ label = words.value.common.search, placeholder, value, onSearch }: Props) {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  // The address may change without this field, by a link or the back button.
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value])
  const change = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => onSearch(next.trim()), waitMs)
  }
  return (
    <TextField
      type="search"
      name="search"
      autocomplete="off"
      maxLength={100}
      label={label}
      placeholder={placeholder ?? ''}
      value={text}
      onValue={change}
    />
  )
}
