/** The administrative operations as the command line runs them, by the words of their commands. */
import { reEnrol } from '../admin/clones'
import { administrativeHandlers, type AdministrativeCall, type VoiceCall } from '../admin/operations'
import { updateVoice } from '../admin/voices'
import { operationTimeoutsMs, type RawSettings } from '../config'
import { startDeadline } from '../deadline'
import { operationList, type CommandOperationId } from '../operations/table'
import { converterAmong } from '../cloning/convert/installed-converter'
import { rescanPacksHere } from './pack-registry'
import { createCliScheduler } from './scheduler'

/** `flags`: as given. */
type CliCall = AdministrativeCall & { readonly flags: RawSettings }
type CliVoiceCall = VoiceCall & CliCall

type Shown = {
  /** Columns of a table; JSON has all fields. */
  readonly columns?: readonly string[]
  /** The name of a secret that is shown only once. */
  readonly secret?: string
}

/** `run` returns the answer or its promise; an iterable of text is printed as it is. */
export type CliOperation = Shown &
  (
    | { readonly usesVoices: true; readonly run: (call: CliVoiceCall) => unknown }
    | { readonly usesVoices?: undefined; readonly run: (call: CliCall) => unknown }
  )

async function reEnrolHere({ admin, stores, packs, id, flags }: CliVoiceCall) {
  const scheduler = await createCliScheduler(flags)
  const deadline = startDeadline(operationTimeoutsMs.reEnrol)
  const converter = () => converterAmong(packs.registry.packs)
  try {
    return await reEnrol(admin, stores, { scheduler, converter, mp3SampleRate: undefined }, id, deadline)
  } finally {
    scheduler.close()
  }
}

const handlers = {
  ...administrativeHandlers,
  rescanPacks: ({ flags }: CliCall) => rescanPacksHere(flags),
  reEnrolClone: reEnrolHere,
} satisfies Readonly<Record<CommandOperationId, unknown>>

/** Commands without an HTTP operation of their own. */
const onlyHere: Readonly<Record<string, CliOperation>> = {
  'voices activate': { usesVoices: true, run: setActive(true) },
  'voices deactivate': { usesVoices: true, run: setActive(false) },
}

function setActive(active: boolean) {
  return ({ admin, packs, id }: CliVoiceCall) => updateVoice(admin, id, { active }, packs.registry)
}

/** `words`: the verb and the operation of an administrative command. */
export function findOperation(words: string): CliOperation {
  const found = operationList.find(({ command }) => command?.words === words)
  if (!found) return onlyHere[words]!
  const { columns, secret } = found.command!
  const run = handlers[found.id as CommandOperationId] as (call: AdministrativeCall) => unknown
  return { columns, secret, usesVoices: found.usesVoices, run } as CliOperation
}
