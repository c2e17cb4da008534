/** One take: its sound, what it cost, and what can be done with it. */
import { Download, RotateCcw, Trash2 } from 'lucide'
import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatAgo, formatDecimal, formatDuration, formatNumber } from '../../format'
import { at, baseUrl } from '../../installation'
import { Button, IconButton, LinkButton } from '../../parts/button'
import { CopyButton } from '../../parts/copy'
import { ErrorNote, sayError } from '../../parts/errors'
import { Badge } from '../../parts/figures'
import { toast } from '../../parts/toast'
import { words } from '../../words/words'
import { joinAudio, saveAs } from './download'
import { Player } from './player'
import { snippetLanguages, writeSnippet } from './snippets'
import { readSound } from './sounds'
import { goOn, isRunning, removeTake, stop, unitsOf, urlsOf, type Take } from './takes'
import { describeVoice } from './voice-picker'

type Props = {
  readonly take: Take
  /** The newest take shows its address and code at once. */
  readonly isNewest: boolean
  /** Puts its text and choices back into the box; without it there is no box on the page. */
  readonly onUseAgain?: () => void
}

export function TakeCard({ take, isNewest, onUseAgain }: Props) {
  const { speak } = words.value
  const { voice, speed, format, text, state } = take
  const urls = urlsOf(take)
  // Only what was asked for on this page starts to sound; a take that one comes back to waits.
  const playsItself = useRef(isRunning(take)).current
  const card = useRef<HTMLElement>(null)
  const isSeen = useSeen(card, isNewest)
  // On a small screen the card begins below the edge.
  useEffect(() => {
    if (playsItself) card.current!.scrollIntoView({ block: 'nearest' })
  }, [urls.length > 0])
  return (
    <article ref={card} class="card take" aria-label={speak.takeOf(voice.display_name)}>
      <header class="card-head">
        <div class="row">
          <h3>{voice.display_name}</h3>
          <span class="faint small">{describeVoice({ ...voice, gender: null })}</span>
          <Badge>{speak.times(formatDecimal(speed))}</Badge>
          <Badge>{format}</Badge>
        </div>
        <time class="faint small" dateTime={take.createdAt}>
          {formatAgo(take.createdAt)}
        </time>
      </header>
      <p class="take-text">{text}</p>
      {urls.length > 0 && !isSeen && <div class="player" />}
      {urls.length > 0 && isSeen && (
        <Player
          urls={urls}
          label={speak.takeOf(voice.display_name)}
          playsItself={playsItself}
          isGrowing={isRunning(take)}
        />
      )}
      <Progress take={take} />
      {urls.length > 0 && isSeen && <Facts take={take} urls={urls} isNewest={isNewest} />}
      {urls.length > 0 && <Details take={take} urls={urls} isOpen={isNewest} />}
      <footer class="actions">
        {urls.length > 0 && state.kind === 'done' && <DownloadButton take={take} urls={urls} />}
        {onUseAgain && (
          <Button icon={RotateCcw} onClick={onUseAgain}>
            {speak.useAgain}
          </Button>
        )}
        <IconButton
          icon={Trash2}
          label={isRunning(take) ? speak.removeAfterwards : speak.remove}
          disabled={isRunning(take)}
          onClick={() => removeTake(take.id)}
        />
      </footer>
    </article>
  )
}

/** Whether the element has come into view: many takes are not all fetched and decoded at once. */
function useSeen(element: RefObject<HTMLElement | null>, isSeenFirst: boolean): boolean {
  const [isSeen, setSeen] = useState(isSeenFirst)
  useEffect(() => {
    if (isSeen) return
    const observer = new IntersectionObserver(([entry]) => entry!.isIntersecting && setSeen(true))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [isSeen])
  return isSeen
}

/** The state of a take that is not done, and how it goes on. */
function Progress({ take }: { readonly take: Take }) {
  const { speak } = words.value
  const { state, parts } = take
  const done = parts.filter(({ spoken }) => spoken).length
  const partsText = parts.length > 1 ? speak.partOf(formatNumber(done + 1), formatNumber(parts.length)) : undefined
  if (state.kind === 'done') return null
  if (state.kind === 'speaking')
    return (
      <div class="row between" role="status">
        <span class="row">
          <span class="spinner" aria-hidden="true" />
          {partsText ?? speak.speaking}
          <Elapsed sinceMs={state.sinceMs} />
        </span>
        {parts.length > 1 && (
          <Button onClick={() => stop(take.id)} disabled={state.isStopping}>
            {state.isStopping ? speak.stopping : speak.stop}
          </Button>
        )}
      </div>
    )
  if (state.kind === 'waiting')
    return (
      <div class="note warn" role="status">
        <p>{sayError(state.error, 'without delay')}</p>
        <p>
          <Countdown untilMs={state.untilMs} />
        </p>
        <Button onClick={() => stop(take.id)}>{speak.stop}</Button>
      </div>
    )
  const left = speak.partsLeft(formatNumber(done), formatNumber(parts.length))
  if (state.kind === 'stopped')
    return (
      <div class="note">
        <p>{parts.length > 1 ? left : speak.interrupted}</p>
        <Button onClick={() => goOn(take.id)}>{speak.goOn}</Button>
      </div>
    )
  return (
    <>
      {done > 0 && <p>{left}</p>}
      <ErrorNote error={state.error} onRetry={() => goOn(take.id)} />
      {state.error.status === 402 && (
        <div class="actions">
          <LinkButton href={at('/balance')}>{speak.toBalance}</LinkButton>
        </div>
      )}
    </>
  )
}

function Elapsed({ sinceMs }: { readonly sinceMs: number }) {
  return <span class="faint">{formatDuration(useNow(100) - sinceMs)}</span>
}

function Countdown({ untilMs }: { readonly untilMs: number }) {
  const seconds = Math.max(0, Math.ceil((untilMs - useNow(250)) / 1000))
  return <>{words.value.speak.goesOnIn(formatNumber(seconds))}</>
}

function useNow(intervalMs: number): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), intervalMs)
    return () => clearInterval(timer)
  }, [intervalMs])
  return now
}

type PartProps = { readonly take: Take; readonly urls: readonly string[] }

function Facts({ take, urls, isNewest }: PartProps & { readonly isNewest: boolean }) {
  const { speak } = words.value
  const seconds = useLength(urls)
  const last = take.parts.findLast(({ spoken }) => spoken)?.spoken
  const workMs = take.parts.reduce((sum, { spoken }) => sum + (spoken?.duration_ms ?? 0), 0)
  const isFree = take.parts.some(({ spoken }) => spoken?.remaining === null)
  return (
    <>
      <dl class="take-facts small">
        <Fact name={speak.length} value={seconds === undefined ? '…' : formatDuration(seconds * 1000)} />
        <Fact name={speak.cost} value={words.value.common.characters(formatNumber(unitsOf(take)))} />
        {isNewest && typeof last?.remaining === 'number' && (
          <Fact name={speak.remaining} value={formatNumber(last.remaining)} />
        )}
        <Fact name={speak.madeIn} value={formatDuration(workMs)} />
      </dl>
      {isFree && <p class="note warn">{speak.notCharged}</p>}
    </>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt class="faint">{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** In seconds; undefined while a part is not decoded. */
function useLength(urls: readonly string[]): number | undefined {
  const [seconds, setSeconds] = useState<number>()
  useEffect(() => {
    let isLeft = false
    void Promise.all(urls.map(readSound)).then((sounds) => {
      if (isLeft || sounds.includes(undefined)) return
      setSeconds(sounds.reduce((sum, sound) => sum + sound!.seconds, 0))
    })
    return () => void (isLeft = true)
  }, [urls.length])
  return seconds
}

/** The permanent addresses, and the same request in code. */
function Details({ take, urls, isOpen }: PartProps & { readonly isOpen: boolean }) {
  const { speak } = words.value
  const { voice, speed, format, parts } = take
  const request = { texts: parts.map(({ text }) => text), voiceId: voice.id, speed, format }
  return (
    <details class="take-details" open={isOpen}>
      <summary>{speak.addressAndCode}</summary>
      <div class="stack">
        <ul class="addresses">
          {urls.map((url) => (
            <li key={url}>
              <a class="mono" href={url} target="_blank" rel="noreferrer">
                {url}
              </a>
              <CopyButton text={url} />
            </li>
          ))}
        </ul>
        <div class="row">
          <span class="faint small">{speak.copyAs}</span>
          {snippetLanguages.map((language) => (
            <CopyButton key={language} label={language} text={writeSnippet(language, baseUrl, request)} />
          ))}
        </div>
      </div>
    </details>
  )
}

function DownloadButton({ take, urls }: PartProps) {
  const { speak } = words.value
  const [isBusy, setBusy] = useState(false)
  async function save(): Promise<void> {
    setBusy(true)
    try {
      saveAs(await joinAudio(urls, take.format), `${take.voice.id}-${take.id.slice(0, 8)}.${take.format}`)
    } catch {
      toast(speak.notDownloaded, 'bad')
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button icon={Download} isBusy={isBusy} onClick={() => void save()}>
      {speak.download}
    </Button>
  )
}
