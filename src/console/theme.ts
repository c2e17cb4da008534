/** Light or dark colours; by default those of the system. */
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const storageKey = 'sonant-theme'
const stored = localStorage.getItem(storageKey)

export const theme = signal<Theme>(stored === 'light' || stored === 'dark' ? stored : 'system')

effect(() => {
  document.documentElement.dataset.theme = theme.value
})

export function chooseTheme(next: Theme): void {
  theme.value = next
  localStorage.setItem(storageKey, next)
}
