import { type ApprovalRequest, fingerprintOf, sha256 } from '../approvals/requests/index.js'
import { optionText, visibleValue } from '../text/index.js'

interface EngineQuestion {
  kind: 'budget' | 'gate'
  /** The name of the gate within its run. */
  gate: string
  /** What this question is about, so that an earlier answer never counts for it. */
  about: string
  title: string
  /** By default the title. */
  text?: string
  input: Record<string, unknown>
  options: readonly { key: string; label: string; meaning: 'choice' | 'cancel' }[]
}

/** A question that the engine itself asks about a run, as a request in the ledger. */
export function engineRequest(
  { id, cwd }: { id: string; cwd: string },
  { kind, gate, about, title: words, text = words, input, ...question }: EngineQuestion,
): ApprovalRequest {
  const title = optionText(words)
  const questions = [{ text, multi: false }]
  const options = question.options.map(option => ({ ...option, from: 'signalbox' as const, danger: null }))
  const shown = visibleValue(text)
  const blocks = shown.pieces.map(piece => ({ ...piece, kind: 'value' }))
  const instance = `${gate} ${about}`
  const asked = { kind, agent: 'signalbox', tool: gate, input, text, cwd, questions, options }
  return {
    kind,
    subject: { agent: 'signalbox', run: id, effect: `${id}/${gate}`, project: cwd, cwd, hostName: '' },
    request: { tool: gate, input, text, questions, options, freeText: 'none' },
    source: { channel: 'run', requestKey: gate, evidence: [] },
    fingerprint: fingerprintOf({ ...asked, session: `${id}/${instance}` }),
    instance,
    risk: { level: 'low', reasons: [] },
    display: {
      title,
      blocks,
      findings: shown.findings.map(({ what, count }) => ({ what, count })),
      hash: sha256(JSON.stringify({ title, blocks })),
    },
  }
}
