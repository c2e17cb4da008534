/** A field for a password that a person chooses. */
import { words } from '../words/words'
import { TextField } from './form'

const charactersMin = 8

/** Whether the service would refuse what was typed. */
export const isShortPassword = (password: string): boolean => password !== '' && [...password].length < charactersMin

type Props = {
  readonly label: string
  readonly name: string
  readonly value: string
  readonly onValue: (password: string) => void
}

export function NewPasswordField(props: Props) {
  const { door } = words.value
  return (
    <TextField
      {...props}
      type="password"
      autocomplete="new-password"
      required
      hint={door.passwordHint}
      fault={isShortPassword(props.value) ? door.passwordShort : undefined}
    />
  )
}
