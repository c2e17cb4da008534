/** `bun run bench [NAME…]`: runs all benches, or those named, and prints the results as one table. */
import { benchDecode } from './decode'
import { benchAdapt } from './adapt'
import { benchCodecs } from './codecs'
import { benchConsole } from './console'
import { benchConvert } from './convert'
import { benchDownloads } from './downloads'
import { benchEnglish } from './english'
import { benchEventLoop } from './eventloop'
import { benchHttp } from './http'
import { benchLargeLedger, benchLedger } from './ledger'
import { benchLoad } from './load'
import { benchMemory } from './memory'
import { benchLoading } from './loading'
import { benchMp3 } from './mp3'
import { benchNeural } from './neural'
import { benchOverload } from './overload'
import { benchRealModels } from './real-models'
import { benchRecordingCheck } from './recording-check'
import { type BenchRow, printTable } from './report'
import { benchRequest } from './request'
import { benchSherpa } from './sherpa'
import { benchSimilarity } from './similarity'
import { benchStartup } from './startup'
import { benchStretch } from './stretch'
import { benchThreads } from './threads'
import { benchUploads } from './uploads'
import { benchVocoder } from './vocoder'
import { benchVoices } from './voices'

const benches: Record<string, () => Promise<BenchRow[]>> = {
  request: benchRequest,
  http: benchHttp,
  ledger: benchLedger,
  'ledger-large': benchLargeLedger,
  load: benchLoad,
  downloads: benchDownloads,
  uploads: benchUploads,
  overload: benchOverload,
  console: benchConsole,
  eventloop: benchEventLoop,
  startup: benchStartup,
  memory: benchMemory,
  mp3: benchMp3,
  codecs: benchCodecs,
  decode: benchDecode,
  stretch: benchStretch,
  english: benchEnglish,
  'recording-check': benchRecordingCheck,
  voices: benchVoices,
  threads: benchThreads,
  neural: benchNeural,
  vocoder: benchVocoder,
  sherpa: benchSherpa,
  'real-models': benchRealModels,
  loading: benchLoading,
  adapt: benchAdapt,
  convert: benchConvert,
  similarity: benchSimilarity,
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benches)
const unknown = names.find((name) => !(name in benches))
if (unknown !== undefined) {
  console.error(`There is no bench "${unknown}"; there are: ${Object.keys(benches).join(', ')}.`)
  process.exit(2)
}
const rows: BenchRow[] = []
for (const name of names) {
  console.error(`${name} …`)
  try {
    rows.push(...(await benches[name]!()))
  } catch (error) {
    // A failed bench must not hide the results of the others.
    console.error(error)
    process.exitCode = 1
  }
}
printTable(rows)
