/** Copies a text to the clipboard. */
import { Check, Copy } from 'lucide'
import { useState } from 'preact/hooks'
import { words } from '../words/words'
import { Button, IconButton } from './button'
import { toast } from './toast'

const shownMs = 2000

/** Pages that came over plain HTTP from another machine have no clipboard; there a hidden field is copied. */
async function copy(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  ;(document.querySelector('dialog[open]') ?? document.body).append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  if (!isCopied) throw new Error('not copied')
}

type Props = { readonly text: string; /** Without it the button has an icon only. */ readonly label?: string }

export function CopyButton({ text, label }: Props) {
  const [isCopied, setCopied] = useState(false)
  const { common } = words.value
  const icon = isCopied ? Check : Copy
  const run = () => {
    copy(text).then(
      () => {
        setCopied(true)
        setTimeout(() => setCopied(false), shownMs)
      },
      () => toast(common.notCopied, 'bad'),
    )
  }
  if (label === undefined)
    return <IconButton icon={icon} label={isCopied ? common.copied : common.copy} onClick={run} />
  return (
    <Button icon={icon} onClick={run}>
      {isCopied ? common.copied : label}
    </Button>
  )
}
