/** The Chinese words of the console; see `en.ts` for the keys. */
import { account } from './zh/account'
import { administration } from './zh/administration'
import { clone } from './zh/clone'
import { common } from './zh/common'
import { door } from './zh/door'
import { money } from './zh/money'
import { overview } from './zh/overview'
import { speak } from './zh/speak'
import { voices } from './zh/voices'

export const zh = { ...common, account, administration, clone, door, money, overview, speak, voices } as const
