/**
 * Our ids for VITS models compared with those of sherpa-onnx, by a table from scripts/sherpa/vits.ts. docs/models.md
 * lists the differences and their reasons; each one is asserted here.
 */
import { describe, expect, it } from 'bun:test'
import { readVitsModel } from '../../../src/speech/models/vits'
import { readGraphFile } from '../../../src/speech/onnx/file'
import { parseTokens } from '../../../src/speech/phonemes/lexicon'
import { toVitsRuns, type VitsFrontend } from '../../../src/speech/phonemes/vits'
import { vitsModel } from '../../onnx/vits'

/** Ids, and tones if there are any. */
type Run = readonly [number[], number[]?]
type Pack = {
  metadata: Record<string, string | number>
  tokens: string
  lexicon?: string
  texts: string[]
  runs: Run[][]
}

const table = JSON.parse(
  new TextDecoder().decode(await Bun.zstdDecompress(await Bun.file(`${import.meta.dir}/vits.json.zst`).bytes())),
) as Record<string, Pack>

async function frontendOf(name: string, { metadata, tokens, lexicon }: Pack): Promise<VitsFrontend> {
  const layout = name === 'melo' ? 'toned' : name === 'coqui' ? 'coqui' : 'plain'
  const files: Record<string, string | undefined> = { 'tokens.txt': tokens, 'lexicon.txt': lexicon }
  const info = readGraphFile(vitsModel({ layout, metadata }))
  return (await readVitsModel(info, async (file) => new TextEncoder().encode(files[file]!))).frontend
}

/** sherpa-onnx also runs the graph on marks only, and on nothing between spaces. */
function withoutSilentRuns(runs: readonly Run[], tokens: string): Run[] {
  const silent = [...parseTokens(tokens)!].filter(([symbol]) =>
    /^(?:sil|eos|sp|#\d|<.*>)$|^[^\p{L}\p{N}]+$/u.test(symbol),
  )
  const ids = new Set([0, ...silent.map(([, id]) => id)])
  return runs.filter(([run]) => run.some((id) => !ids.has(id)))
}

function ourRuns(text: string, frontend: VitsFrontend): Run[] {
  return toVitsRuns(text, frontend).map(({ ids, tones }) => (tones ? [ids, tones] : [ids]))
}

describe('ids for VITS models', () => {
  for (const [name, pack] of Object.entries(table)) {
    it(`equal those of sherpa-onnx for ${pack.texts.length} texts of kind ${name}`, async () => {
      const frontend = await frontendOf(name, pack)
      const different = pack.texts.filter((text, i) => {
        // sherpa-onnx lowers only ASCII letters, and has no token for the others.
        const asked = name === 'mms' ? text.replace(/(?![A-Z])\p{Lu}/gu, '') : text
        const theirs = withoutSilentRuns(pack.runs[i]!, pack.tokens)
        return JSON.stringify(ourRuns(asked, frontend)) !== JSON.stringify(theirs)
      })
      expect(different).toEqual([])
    })
  }

  it('cover 1000 Mandarin texts and all kinds of models', () => {
    expect(table['segmented']!.texts.length).toBe(1_000)
    expect(table['melo']!.texts.length).toBe(1_000)
    expect(table['mms']!.texts.length).toBe(300)
    expect(Object.keys(table)).toEqual(['aishell3', 'fanchen', 'segmented', 'melo', 'mms', 'coqui', 'english'])
  })
})
