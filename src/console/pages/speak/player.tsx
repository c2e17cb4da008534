/** Plays the parts of a take as one sound, over its waveform. */
import { Pause, Play } from 'lucide'
import { useEffect, useRef, useState } from 'preact/hooks'
import { formatDuration } from '../../format'
import { Button } from '../../parts/button'
import { play } from '../../parts/sound'
import { Waveform } from '../../parts/waveform'
import { words } from '../../words/words'
import { readSound, type Sound } from './sounds'

type Props = {
  /** The parts that are there; more may come. */
  readonly urls: readonly string[]
  /** Names the sound for screen readers. */
  readonly label: string
  /** Whether the sound begins to play when its first part comes. */
  readonly playsItself: boolean
  /** Whether more parts will come: the sound goes on with them. */
  readonly isGrowing: boolean
}

export function Player({ urls, label, playsItself, isGrowing }: Props) {
  const sounds = useSounds(urls)
  const player = usePlayer({ urls, sounds, playsItself, isGrowing })
  const { speak } = words.value
  const total = player.totalSeconds
  const at = Math.min(player.atSeconds, total)
  const times = `${formatClock(at, total)} / ${formatClock(total, total)}`
  return (
    <div class="player" role="group" aria-label={label}>
      {player.element}
      <Button
        kind="primary"
        icon={player.isPlaying ? Pause : Play}
        onClick={player.toggle}
        disabled={urls.length === 0}
        aria-label={player.isPlaying ? speak.pause : speak.play}
        title={player.isPlaying ? speak.pause : speak.play}
      />
      <Waveform
        peaks={sounds.flatMap((sound) => sound?.peaks ?? [])}
        atSeconds={at}
        totalSeconds={total}
        label={speak.position}
        says={times}
        onSeek={player.seek}
        onToggle={player.toggle}
      />
      <span class="player-time small faint">{times}</span>
      {player.hasFailed && <p class="bad-text small wide">{speak.notPlayed}</p>}
    </div>
  )
}

/** `2.4 s`, or `0:02` in a sound of a minute or more. */
function formatClock(seconds: number, totalSeconds: number): string {
  if (totalSeconds < 60) return formatDuration(Math.max(0, seconds) * 1000)
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`
}

/** Undefined stands for a sound that is not decoded (yet). */
function useSounds(urls: readonly string[]): readonly (Sound | undefined)[] {
  const [known, setKnown] = useState<ReadonlyMap<string, Sound>>(new Map())
  useEffect(() => {
    let isLeft = false
    for (const url of urls)
      void readSound(url).then((sound) => {
        if (sound && !isLeft) setKnown((now) => (now.has(url) ? now : new Map(now).set(url, sound)))
      })
    return () => void (isLeft = true)
  }, [urls.length, urls[0]])
  return urls.map((url) => known.get(url))
}

type Playing = Pick<Props, 'urls' | 'playsItself' | 'isGrowing'> & { readonly sounds: readonly (Sound | undefined)[] }

/** One audio element that plays part after part. */
function usePlayer({ urls, sounds, playsItself, isGrowing }: Playing) {
  const audio = useRef<HTMLAudioElement>(null)
  const [part, setPart] = useState(0)
  const [withinSeconds, setWithin] = useState(0)
  const [ownSeconds, setOwnSeconds] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [hasFailed, setFailed] = useState(false)
  /** The wish that waits until the part has loaded. */
  const next = useRef<{ seconds: number; plays: boolean }>(undefined)
  /** Whether playing has come to the end of the parts that are there. */
  const isHungry = useRef(playsItself)

  const lengths = urls.map((_, i) => sounds[i]?.seconds ?? (i === part ? ownSeconds : 0))
  const startOf = (index: number) => lengths.slice(0, index).reduce((sum, length) => sum + length, 0)

  function goTo(index: number, seconds: number, plays: boolean): void {
    if (index === part && audio.current!.readyState > 0) {
      audio.current!.currentTime = seconds
      if (plays) void play(audio.current!)
    } else {
      next.current = { seconds, plays }
      if (index === part) return void audio.current!.load()
      setPart(index)
    }
    setWithin(seconds)
  }

  useEffect(() => {
    if (!isHungry.current || urls.length === 0) return
    isHungry.current = false
    if (urls.length === 1) void play(audio.current!)
    else goTo(urls.length - 1, 0, true)
  }, [urls.length])
  useEffect(() => () => audio.current?.pause(), [])
  useClock(isPlaying, () => setWithin(audio.current?.currentTime ?? 0))

  const element = (
    <audio
      ref={audio}
      src={urls[part]}
      preload="metadata"
      onPlay={() => setPlaying(true)}
      onPause={() => setPlaying(false)}
      onError={() => setFailed(true)}
      onLoadedMetadata={({ currentTarget }) => {
        setFailed(false)
        setOwnSeconds(currentTarget.duration)
        if (next.current) {
          currentTarget.currentTime = next.current.seconds
          if (next.current.plays) void play(currentTarget)
          next.current = undefined
        }
      }}
      onEnded={() => {
        if (part + 1 < urls.length) goTo(part + 1, 0, true)
        else if (isGrowing) isHungry.current = true
        else setWithin(lengths[part]!)
      }}
    />
  )
  return {
    element,
    isPlaying,
    hasFailed,
    totalSeconds: startOf(urls.length),
    atSeconds: startOf(part) + withinSeconds,
    toggle(): void {
      isHungry.current = false
      if (isPlaying) audio.current!.pause()
      else if (audio.current!.ended) goTo(0, 0, true)
      else void play(audio.current!)
    },
    seek(seconds: number): void {
      let index = lengths.findIndex((_, i) => seconds < startOf(i + 1))
      if (index === -1) index = urls.length - 1
      goTo(index, seconds - startOf(index), isPlaying)
    },
  }
}

/** Runs `tick` with every frame while something moves. */
function useClock(isRunning: boolean, tick: () => void): void {
  useEffect(() => {
    if (!isRunning) return
    let frame = requestAnimationFrame(function step() {
      tick()
      frame = requestAnimationFrame(step)
    })
    return () => cancelAnimationFrame(frame)
  }, [isRunning])
}
