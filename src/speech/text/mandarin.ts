/**
 * Normalizes Mandarin text for eSpeak NG's `cmn`: every digit becomes Han, in broadcast style. Latin words stay; the
 * engine speaks them itself. Rules run from the most specific shape to the most general. Their output has no digits.
 */
import { nameEmoji } from './emoji'
import { cardinal, counted, decimal, spell, spellTelephone } from './mandarin-numbers'

const number = '\\d{1,3}(?:,\\d{3})+(?:\\.\\d+)?|\\d+(?:\\.\\d+)?'
const notInside = '(?<![\\d.,])'
const to = ' ?[-–—~～至到] ?'

const currencies: Record<string, string> = {
  $: '美元',
  US$: '美元',
  HK$: '港元',
  NT$: '新台币',
  '€': '欧元',
  '£': '英镑',
  '₩': '韩元',
  '₹': '卢比',
  '₽': '卢布',
  '₿': '比特币',
  '฿': '泰铢',
  '₫': '越南盾',
  USD: '美元',
  EUR: '欧元',
  GBP: '英镑',
  JPY: '日元',
  HKD: '港元',
  BTC: '比特币',
}
const units: Record<string, string> = {}
for (const pair of (
  'km 公里 m 米 cm 厘米 mm 毫米 μm 微米 nm 纳米 kg 千克 g 克 mg 毫克 t 吨 L 升 l 升 mL 毫升 ml 毫升 ft 英尺 in 英寸 mi 英里 lb 磅' +
  ' oz 盎司 s 秒 ms 毫秒 min 分钟 h 小时 KB 千字节 MB 兆 GB G字节 TB T字节 Hz 赫兹 kHz 千赫 MHz 兆赫 GHz 吉赫 W 瓦 kW 千瓦 kWh 千瓦时' +
  ' MW 兆瓦 V 伏 A 安 mA 毫安 mAh 毫安时 dB 分贝 cal 卡 kcal 千卡 J 焦 kJ 千焦 Pa 帕 kPa 千帕 MPa 兆帕 ha 公顷 mph 英里每小时 px 像素'
).match(/\S+ \S+/g)!) {
  const [symbol, name] = pair.split(' ')
  units[symbol!] = name!
}
const unitNames = Object.keys(units)
  .sort((a, b) => b.length - a.length)
  .join('|')
const measures =
  '个|只|条|张|本|次|位|名|件|块|台|辆|家|杯|瓶|碗|天|周|星期|小时|分钟|秒|岁|倍|层|元|人|种|份|场|句|首|部|座|支|根|片|颗|双|对|套|项|页|间|头|匹|朵|棵|米|公里|千克|斤|公斤|吨|升|点(?!\\d)|年(?!级)|门|口|把|批|组|节|集|堂|篇|封|步|遍|趟|届|章|字|架|艘|栋|顿|刻|局|轮|代'

export function normalizeMandarin(text: string): string {
  let reading = nameEmoji(text, 'zh', (name) => `，${name.replace(': ', '')}，`).replace(/\s+/g, ' ')
  reading = readAddresses(reading)
  if (/\d/.test(reading)) {
    reading = readNumbers(readMeasures(readMoney(readCodes(readDatesAndTimes(reading)))))
  }
  return tidy(readSymbols(reading))
}

function readAddresses(text: string): string {
  const speak = (address: string) =>
    address
      .replaceAll('.', '点')
      .replaceAll('/', '斜杠')
      .replaceAll('-', '杠')
      .replaceAll('_', '下划线')
      .replaceAll('@', ' at ')
  return text
    .replace(/(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g, speak)
    .replace(/(?:https?:\/\/|www\.)(?:www\.)?([\w.-]{1,200}(?:\/[\w./?=&%#-]*[\w/])?)/gi, (_, address: string) =>
      speak(address.replace(/\/$/, '')),
    )
    .replace(
      /(?<![\w.])[A-Za-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,3}\.(?:com|org|net|cn|io|dev|app|ai|cc|me)(?!\w)/g,
      speak,
    )
}

function date(year: string, month: string, day: string): string | null {
  const [m, d] = [Number(month), Number(day)]
  if (m < 1 || m > 12 || d < 1 || d > 31) return null
  return `${spell(year)}年${cardinal(String(m))}月${cardinal(String(d))}日`
}

function readDatesAndTimes(text: string): string {
  return text
    .replace(
      /(?<![\d./-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T(?=\d))?(?![\d/-])/g,
      (all, y: string, _, m: string, d: string) => date(y, m, d) ?? all,
    )
    .replace(
      /(?<![\d./-])(\d{1,2})\/(\d{1,2})\/(\d{4})(?![\d/])/g,
      (all, m: string, d: string, y: string) => date(y, m, d) ?? all,
    )
    .replace(
      /(?<![\d./-])(0\d|1[0-2])\/([0-3]\d)(?![\d/])/g,
      (_, m: string, d: string) => `${cardinal(String(Number(m)))}月${cardinal(String(Number(d)))}日`,
    )
    .replace(/(?<!\d)0(?=\d ?[月日号])/g, '')
    .replace(
      new RegExp(`(?<![\\d.,])([12]\\d{3})${to}(?:([12]\\d{3})|(\\d{2})) ?年`, 'g'),
      (_, from: string, until: string | undefined, short: string | undefined) =>
        `${spell(from)}到${spell(until ?? short!)}年`,
    )
    .replace(/(?<![\d.,近约共有了过])([12]\d{3}) ?年(?!的?历史)/g, (all, y: string) =>
      y === '1000' ? all : `${spell(y)}年`,
    )
    .replace(/(?<!\d)([5-9]\d)年代/g, (_, decade: string) => `${cardinal(decade)}年代`)
    .replace(/(?<![\d.])(9\d|0\d)年(?!代)/g, (_, y: string) => `${spell(y)}年`)
    .replace(
      /(?<![\d.:])(1[5-9]\d\d|20\d\d)([-–—~～])(1[5-9]\d\d|20\d\d)(?![\d.])/g,
      (_, from: string, __, until: string) => `${spell(from)}到${spell(until)}`,
    )
    .replace(
      /(?<![\d.:])([01]?\d|2[0-4]):([0-5]\d)(?::([0-5]\d))?(?![\d:])(?: ?([AaPp])\.?[Mm]\.?(?!\w))?/g,
      (_, h: string, m: string, s?: string, half?: string) => {
        const minutes =
          m === '00' && s === undefined
            ? ''
            : `${m.startsWith('0') ? `零${m === '00' ? '' : cardinal(m[1]!)}` : cardinal(m)}分`
        const seconds = s === undefined ? '' : `${cardinal(String(Number(s)))}秒`
        return `${half === undefined ? '' : /a/i.test(half) ? '上午' : '下午'}${counted(String(Number(h)))}点${minutes}${seconds}`
      },
    )
}

/** Reads digit strings that are names, not amounts. */
function readCodes(text: string): string {
  return text
    .replace(
      /(?<![\d.])(?:\+?86[ -]?)?(1[3-9]\d)([ -]?)(\d{4})\2(\d{4})(?!\d)/g,
      (all) => (all.startsWith('+') ? '加' : '') + spellTelephone(all.replace(/\D/g, '')),
    )
    .replace(/(?<![\d.])(?:0\d{2,3}|400|800)-\d{3,4}-?\d{3,4}(?!\d)/g, (all) => spellTelephone(all.replaceAll('-', '')))
    .replace(/(?<![\d.])\d{3}-\d{3,4}-\d{4}(?!\d)/g, (all) => spellTelephone(all.replaceAll('-', '')))
    .replace(/\+\d{7,15}(?!\d)/g, (all) => `加${spellTelephone(all.slice(1))}`)
    .replace(
      /((?:拨打?|致电|电话|热线|手机|报警|打)(?:号码?)?[是为：: ]{0,2})(\d{3,12})(?!\d|[个次元分.])/g,
      (_, before: string, digits: string) => before + spellTelephone(digits),
    )
    .replace(
      /((?:验证码|密码|编号|学号|工号|卡号|账号|帐号|邮编|尾号|代码|房间|QQ)[是为：: ]{0,2})(\d{2,})(?![\d.])/g,
      (_, before: string, digits: string) => before + spell(digits),
    )
    .replace(/(?<![\d.,])(\d{3,4})(?=室|房|号房|航班|次列车|路(?:公交|车|电车))/g, spell)
    .replace(/(?<=(?<![A-Za-z])[A-Z]{1,2}-?)\d{3,}(?!\d|\.\d)/g, spell)
    .replace(/(?<![\d.])(\d+(?:\.\d+){2,})(?!\w)/g, (_, parts: string) => parts.split('.').map(cardinal).join('点'))
}

/** 元, 角 and 分 of a price in yuan. */
function yuan(amount: string): string {
  const [whole, part] = amount.split('.')
  if (part === undefined || /^0+$/.test(part)) return `${counted(whole!)}元`
  if (part.length > 2) return `${decimal(amount)}元`
  const [jiao, fen] = [Number(part[0]), Number(part[1] ?? '0')]
  const large = Number(whole) === 0 ? '' : `${counted(whole!)}元`
  const gap = jiao === 0 && large !== '' ? '零' : ''
  return large + (jiao === 0 ? gap : `${spell(String(jiao))}角`) + (fen === 0 ? '' : `${spell(String(fen))}分`)
}

const signs = 'US\\$|HK\\$|NT\\$|[$€£₩₹₽₿฿₫]'
const yuanBefore = new RegExp(
  `([-−]?)(?:[¥￥]|RMB|CNY) ?([-−]?)(${number})(?:${to}[¥￥]?(${number}))?( ?[万亿千百])?(?:元|块)?`,
  'g',
)
const yuanAfter = new RegExp(`${notInside}(\\d[\\d,]*\\.\\d{2}) ?(?:元|块钱?|CNY|RMB)`, 'g')
const moneyBefore = new RegExp(`([-−]?)(${signs}) ?(${number})(?:${to}(?:${signs})?(${number}))?( ?[万亿千百])?`, 'g')
const moneyAfter = new RegExp(
  `${notInside}(${number})( ?[万亿])? ?(?:(USD|EUR|GBP|JPY|HKD|BTC)(?!\\w)|([€£₩₹₽₿]))`,
  'g',
)

function readMoney(text: string): string {
  const negative = (sign: string) => (sign === '' ? '' : '负')
  return text
    .replace(yuanBefore, (_, sign: string, inner: string, from: string, until: string | undefined, scale?: string) => {
      const amount =
        until === undefined
          ? scale === undefined
            ? yuan(from)
            : `${counted(from)}${scale.trim()}元`
          : `${decimal(from)}到${decimal(until)}${scale?.trim() ?? ''}元`
      return negative(sign || inner) + amount
    })
    .replace(yuanAfter, (_, amount: string) => yuan(amount))
    .replace(
      moneyBefore,
      (_, sign: string, symbol: string, from: string, until: string | undefined, scale?: string) => {
        const amount = until === undefined ? counted(withoutZeros(from)) : `${decimal(from)}到${decimal(until)}`
        return negative(sign) + amount + (scale?.trim() ?? '') + currencies[symbol]
      },
    )
    .replace(
      moneyAfter,
      (_, amount: string, scale: string | undefined, code: string | undefined, sign: string | undefined) =>
        counted(withoutZeros(amount)) + (scale?.trim() ?? '') + currencies[code ?? sign!],
    )
}

/** `5.20` → `5.2`, `5.00` → `5`. */
function withoutZeros(amount: string): string {
  return amount.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
}

const percentPattern = new RegExp(`([-−+]?)${notInside}(${number})(?:%?${to}(${number}))? ?([%‰])`, 'g')
const temperaturePattern = new RegExp(
  `([-−]?)${notInside}(${number})(?:${to}(${number}))? ?(?:(℃|°C|摄氏度)|(℉|°F|华氏度)|(°|度))`,
  'g',
)
const unitPattern = new RegExp(
  `([-−]?)${notInside}(${number})(?:${to}(${number}))? ?(${unitNames})(²|³|[23](?!\\w))?(?:\\/(${unitNames})(²)?|(ph)(?!\\w))?(?![A-Za-z\\d])`,
  'g',
)

function readMeasures(text: string): string {
  const signed = (sign: string) => (/[-−]/.test(sign) ? '负' : sign === '+' ? '正' : '')
  return text
    .replace(
      percentPattern,
      (_, sign: string, from: string, until: string | undefined, mark: string) =>
        `${signed(sign)}${mark === '%' ? '百' : '千'}分之${decimal(from)}${until === undefined ? '' : `到${decimal(until)}`}`,
    )
    .replace(
      temperaturePattern,
      (_, sign: string, from: string, until: string | undefined, celsius?: string, fahrenheit?: string) => {
        const scale = celsius !== undefined ? '摄氏度' : fahrenheit !== undefined ? '华氏度' : '度'
        return `${sign === '' ? '' : '零下'}${decimal(from)}${until === undefined ? '' : `到${decimal(until)}`}${scale}`
      },
    )
    .replaceAll('µ', 'μ')
    .replace(
      unitPattern,
      (
        _,
        sign: string,
        from: string,
        until: string | undefined,
        unit: string,
        power?: string,
        per?: string,
        perPower?: string,
        ph?: string,
      ) => {
        const amount = until === undefined ? counted(from) : `${decimal(from)}到${decimal(until)}`
        const raised = power === undefined ? '' : /3|³/.test(power) ? '立方' : '平方'
        const rate =
          per !== undefined
            ? `每${perPower === undefined ? '' : '平方'}${units[per]}`
            : ph !== undefined
              ? '每小时'
              : ''
        return signed(sign) + amount + raised + units[unit] + rate
      },
    )
}

function readNumbers(text: string): string {
  const score = /比分|比赛|击败|战胜|大胜|险胜|领先|[胜负]/.test(text)
  return text
    .replace(/(?<![\d./])(\d{1,4})\/(\d{1,4})(?![\d/.])/g, (_, above: string, below: string) => {
      const isDate = Number(above) > Number(below) && Number(above) <= 12 && Number(below) <= 31
      return isDate ? `${cardinal(above)}月${cardinal(below)}日` : `${cardinal(below)}分之${cardinal(above)}`
    })
    .replace(
      /(?<![\d.:])(\d{1,4}) ?[:：] ?(\d{1,4})(?![\d:])/g,
      (_, left: string, right: string) => `${decimal(left)}比${decimal(right)}`,
    )
    .replace(
      new RegExp(`${notInside}(${number})${to}(${number})(?![\\d.]|-\\d)`, 'g'),
      (_, from: string, until: string) => `${decimal(from)}${score ? '比' : '到'}${decimal(until)}`,
    )
    .replace(/(?<=\d ?[万亿千百元年月日号点]) ?[-–—~～] ?(?=\d)/g, '到')
    .replace(/(?<![\d.,]-?)\d{1,6}(?:-\d{1,6}){2,}/g, (all) => all.split('-').map(spell).join('杠'))
    .replace(/#(\d+)/g, (_, digits: string) => `${cardinal(digits)}号`)
    .replace(/(?<=第 ?)\d+/g, (digits) => decimal(digits))
    .replace(new RegExp(`${notInside}2(?= ?(?:多)?(?:${measures}))`, 'g'), '两')
    .replace(/(?<![\d.,])2(?= ?[千万亿])/g, '两')
    .replace(/(?<=[\d）)]) ?\+ ?(?=\d)/g, '加')
    .replace(/(?<=[\d）)]) ?[−]|(?<=[\d）)]) -(?= \d)/g, '减')
    .replace(/(?<=\d) ?[×x*] ?(?=\d)/g, '乘')
    .replace(/(?<=\d) ?÷ ?(?=\d)/g, '除以')
    .replace(/(?<=\d)²/g, '的平方')
    .replace(/(?<=\d)³/g, '的立方')
    .replace(/(?<![\dA-Za-z\p{Script=Han}-])[-−](?=\d)|(?<=[是为到至约了])[-−](?=\d)/gu, '负')
    .replace(/(?<=[A-Za-z])-(?=\d)/g, '')
    .replace(/[⁰¹²³⁴-⁹]/g, (digit) => decimal(digit.normalize('NFKC')))
    .replace(new RegExp(number, 'g'), (digits) => decimal(digits))
}

const symbols: Record<string, string> = {
  '+': '加',
  '−': '减',
  '×': '乘',
  '÷': '除以',
  '=': '等于',
  '<': '小于',
  '>': '大于',
  '≤': '小于等于',
  '≥': '大于等于',
  '≠': '不等于',
  '≈': '约等于',
  '±': '正负',
  '%': '百分号',
  '‰': '千分号',
  '&': '和',
  '@': '艾特',
  '#': '井号',
  $: '美元',
  '€': '欧元',
  '£': '英镑',
  '¥': '元',
  '￥': '元',
  '°': '度',
  '℃': '摄氏度',
  '℉': '华氏度',
  '→': '到',
  '√': '根号',
  '∞': '无穷大',
  '©': '版权',
  '§': '第',
  '№': '第',
  '\\': '反斜杠',
}

function readSymbols(text: string): string {
  return text
    .replace(/C\+\+/g, 'C加加')
    .replace(/(?<=[A-Za-z]) ?& ?(?=[A-Za-z])/g, ' and ')
    .replace(/(?<=\p{Script=Han}) ?\/ ?(?=\p{Script=Han})/gu, '或')
    .replace(/[+−×÷=<>≤≥≠≈±%‰&@#$€£¥￥°℃℉→√∞©§№\\]/g, (symbol) => symbols[symbol]!)
}

/** Keeps only marks that the engine knows, turns brackets into pauses, and removes empty clauses. */
function tidy(text: string): string {
  return text
    .replace(/[()（）[\]{}【】〔〕|•/]| ?[—–]+ ?|(?<![A-Za-z])-|-(?![A-Za-z])/g, '，')
    .replace(/[《》〈〉「」『』“”"‘’*_~^`]/g, ' ')
    .replace(/(?<!\p{L})'|'(?!\p{L})/gu, ' ')
    .replace(/[^\p{L}\p{M}\p{N}\s，。、；：！？….,;:!?'·-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ?([，。、；：！？…]) ?/g, '$1')
    .replace(/(?<=\p{Script=Han}) (?=\p{Script=Han})/gu, '')
    .replace(/，+(?=[，。、；：！？….,;:!?])/g, '')
    .replace(/(?<=[。、；：！？….,;:!?])，+/g, '')
    .replace(/^[\s，、；：。,.;:!?！？…]+|[\s，、]+$/g, '')
    .trim()
}
