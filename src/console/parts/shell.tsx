/** The frame around every page with a session: navigation, and who is signed in. */
import { BookOpen, LogOut, Menu } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'
import { signOut, useIsAdministrator, useSignedIn } from '../client/session'
import { at, baseUrl, consolePath, installation } from '../installation'
import { administration, places } from '../routes'
import { words } from '../words/words'
import { Brand } from './brand'
import { Button, IconButton } from './button'
import { Icon } from './icon'
import { attempt } from './toast'

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { navigation } = words.value
  const { person, account } = useSignedIn()
  const isAdministrator = useIsAdministrator()
  const { path } = useLocation()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [path])
  return (
    <div class="shell">
      <a class="skip" href="#content" onClick={skip}>
        {navigation.skip}
      </a>
      <div class={isOpen ? 'side is-open' : 'side'}>
        <Brand />
        <div class="menu-button">
          <IconButton icon={Menu} label={navigation.menu} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)} />
        </div>
        <nav aria-label={navigation.main}>
          <Links of={places} />
        </nav>
        {isAdministrator && (
          <nav aria-labelledby="administration">
            <p id="administration" class="links-title">
              {navigation.administration}
            </p>
            <Links of={administration} />
          </nav>
        )}
        <div class="side-foot">
          <ul class="links">
            <li>
              <a href={`${baseUrl}/docs`} target="_blank" rel="noreferrer">
                <Icon of={BookOpen} />
                {navigation.reference}
              </a>
            </li>
          </ul>
          <a class="who" href={at('/account')} aria-current={path === at('/account') ? 'page' : undefined}>
            <span class="strong">{person.name}</span>
            <span class="small faint">{account.name}</span>
          </a>
          <Button icon={LogOut} onClick={() => void attempt(() => signOut('here'))}>
            {navigation.signOut}
          </Button>
          <p class="small faint">Sonant {installation.version}</p>
        </div>
      </div>
      {children}
    </div>
  )
}

function Links({ of }: { readonly of: typeof places }) {
  const { navigation } = words.value
  const { path } = useLocation()
  const here = path.slice(consolePath.length) || '/'
  return (
    <ul class="links">
      {of.map(({ path: target, title, icon }) => {
        const isHere = target === '/' ? here === '/' : here === target || here.startsWith(`${target}/`)
        return (
          <li key={target}>
            <a href={at(target)} aria-current={isHere ? 'page' : undefined}>
              <Icon of={icon} />
              {navigation[title]}
            </a>
          </li>
        )
      })}
    </ul>
  )
}

/** The address `#content` belongs to the base address of the page, not to this page. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('content')?.focus()
}
