import type { TerminalView } from '../screen/index.js'
import { decodeBytes } from '../terminal/recording/index.js'
import type { Redactor } from '../text/index.js'
import type { LearnedPack } from './learn-pack.js'
import type { TaughtMoment, TaughtRecording } from './recordings.js'

/** A file of the directory `fixtures/` of a pack. */
export interface FixtureFile {
  name: string
  text: string
}

interface Proof {
  recording: TaughtRecording
  moment: TaughtMoment
  view: TerminalView
}

/**
 * The recordings that prove what was learned: each ends after its last moment, and secrets are
 * replaced by marks of the same width. Besides the moments that an entry corrected, one moment of
 * every view is kept, so that a later change that breaks it is noticed.
 */
export function fixtureFiles({ proofs, judged }: LearnedPack, redactor: Redactor): FixtureFile[] {
  const corrected = new Set([...proofs.values()].flat().map(({ recording, t }) => `${recording} ${t}`))
  const seen = new Set<TerminalView>()
  const kept: Proof[] = []
  for (const { recording, moments } of judged)
    for (const { moment, state, isRight } of moments) {
      if (!isRight) continue
      const isProof = corrected.has(`${recording.name} ${moment.t}`)
      if (!isProof && seen.has(state.view)) continue
      seen.add(state.view)
      kept.push({ recording, moment, view: state.view })
    }
  const recordings = [...new Set(kept.map(({ recording }) => recording))]
  return [
    ...recordings.map(recording => ({
      name: castName(recording),
      text: castText(
        recording,
        Math.max(...kept.flatMap(proof => (proof.recording === recording ? [proof.moment.t] : []))),
        redactor,
      ),
    })),
    { name: 'fixtures.toml', text: kept.map(fixtureText).join('\n') },
  ]
}

function fixtureText({ recording, moment, view }: Proof): string {
  const accept = [...moment.views].filter(other => other !== view)
  const also = accept.length > 0 ? `, accept = [${accept.map(name => `"${name}"`).join(', ')}]` : ''
  return `[[fixture]]\ncast = "${castName(recording)}"\nat = ${moment.t}\nexpect = { view = "${view}"${also} }\n`
}

/** Only letters that a fixture's name may have. */
function castName({ name }: TaughtRecording): string {
  return `learned-${name.replace(/\.cast(?:\.gz)?$/, '').replace(/[^\w.-]/g, '_')}.cast`
}

function castText({ cols, rows, events }: TaughtRecording, until: number, redactor: Redactor): string {
  const lines = [JSON.stringify({ version: 2, width: cols, height: rows })]
  const clean = (bytes: Uint8Array) => redactor.redactSameWidth(decodeBytes(bytes))
  for (const event of events) {
    if (event.t > until) break
    if (event.kind === 'output') lines.push(JSON.stringify([event.t, 'o', clean(event.bytes)]))
    if (event.kind === 'input') lines.push(JSON.stringify([event.t, 'i', clean(event.bytes)]))
    if (event.kind === 'resize') lines.push(JSON.stringify([event.t, 'r', `${event.cols}x${event.rows}`]))
  }
  return `${lines.join('\n')}\n`
}
