/** Every page of the console: its path, its code, and who sees it. Pages load their code when they are opened. */
import {
  Activity,
  AudioLines,
  ChartColumn,
  FileClock,
  Gauge,
  KeyRound,
  Layers,
  ListOrdered,
  Mic,
  Package,
  Ticket,
  Users,
  Wallet,
  type IconNode,
} from 'lucide'
import type { ComponentType } from 'preact'
import { lazy } from 'preact-iso'
import { NotLoaded } from './parts/not-loaded'
import type { Words } from './words/words'

type Place = {
  readonly path: string
  readonly page: ComponentType
  readonly icon: IconNode
  readonly title: keyof Words['navigation']
}

/** After an update of the server its files have other names. */
const load = (page: () => Promise<{ default: ComponentType }>) =>
  lazy(() => page().catch(() => ({ default: NotLoaded }))) as ComponentType

/** The navigation, in its order. */
export const places: readonly Place[] = [
  { path: '/', title: 'overview', icon: Gauge, page: load(() => import('./pages/overview/overview')) },
  { path: '/speak', title: 'speak', icon: AudioLines, page: load(() => import('./pages/speak/speak')) },
  { path: '/voices', title: 'voices', icon: Mic, page: load(() => import('./pages/voices/voices')) },
  { path: '/keys', title: 'keys', icon: KeyRound, page: load(() => import('./pages/keys/keys')) },
  { path: '/usage', title: 'usage', icon: ChartColumn, page: load(() => import('./pages/usage/usage')) },
  { path: '/balance', title: 'balance', icon: Wallet, page: load(() => import('./pages/balance/balance')) },
]

/** Pages for administrators only. */
export const administration: readonly Place[] = [
  { path: '/admin/accounts', title: 'accounts', icon: Users, page: load(() => import('./pages/accounts/accounts')) },
  { path: '/admin/codes', title: 'codes', icon: Ticket, page: load(() => import('./pages/codes/codes')) },
  {
    path: '/admin/voices',
    title: 'catalogue',
    icon: ListOrdered,
    page: load(() => import('./pages/catalogue/catalogue')),
  },
  { path: '/admin/packs', title: 'packs', icon: Package, page: load(() => import('./pages/packs/packs')) },
  { path: '/admin/plans', title: 'plans', icon: Layers, page: load(() => import('./pages/plans/plans')) },
  { path: '/admin/usage', title: 'allUsage', icon: ChartColumn, page: load(() => import('./pages/usage/all-usage')) },
  { path: '/admin/log', title: 'log', icon: FileClock, page: load(() => import('./pages/log/log')) },
  { path: '/admin/system', title: 'system', icon: Activity, page: load(() => import('./pages/system/system')) },
]

type Route = Pick<Place, 'path' | 'page'>

/** Pages that other pages lead to. */
export const innerPages: readonly Route[] = [
  { path: '/voices/clone', page: load(() => import('./pages/clone/clone')) },
  { path: '/account', page: load(() => import('./pages/account/account')) },
]

export const innerAdministration: readonly Route[] = [
  { path: '/admin/accounts/:id', page: load(() => import('./pages/accounts/one-account')) },
]
