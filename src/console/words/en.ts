/** The English words of the console. The Chinese ones have the same keys; the compiler and a test compare them. */
import { account } from './en/account'
import { administration } from './en/administration'
import { clone } from './en/clone'
import { common } from './en/common'
import { door } from './en/door'
import { money } from './en/money'
import { overview } from './en/overview'
import { speak } from './en/speak'
import { voices } from './en/voices'

export const en = { ...common, account, administration, clone, door, money, overview, speak, voices } as const
