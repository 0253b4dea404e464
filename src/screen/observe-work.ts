import type { RowBlock } from './grammar.js'
import { makeObservation, type ObservationBasis } from './make-observation.js'
import type { Observation } from './observation.js'
import { thinkingPayload } from './payloads.js'
import { changedAt, newestBlock, panelHash, type Scene, transcriptHash } from './scene.js'
import { toolOf } from './tool.js'
import { blockText } from './turn.js'
import type { Payload } from './view.js'

/** The agent works, or a turn is open: the newest block shows what is happening. */
export function observeWork(scene: Scene): Observation {
  const match = scene.working?.match ?? null
  const seen: ObservationBasis = match
    ? { match, busy: true }
    : { rule: scene.working ? 'generic/motion' : 'generic/turn-open', confidence: 0.5, busy: true }
  const values = match?.values ?? {}
  const elapsed = typeof values.elapsed === 'number' ? { elapsedS: values.elapsed } : {}
  if (values.retry !== undefined || values.compacting !== undefined || match?.rule.id.includes('retry'))
    return makeObservation(scene, 'thinking', thinkingPayload(values, match), seen)
  if (isPanelNewest(scene)) return makeObservation(scene, 'todo_list', scene.todos!, seen)
  const newest = newestBlock(scene)
  switch (newest?.kind) {
    case 'prose':
    case 'todo':
      return makeObservation(scene, 'response_content', proseOf(scene, newest.block), seen)
    case 'tool_call':
      return makeObservation(scene, 'tool_running', { tool: toolIn(scene, newest.block), ...elapsed }, seen)
    case 'tool_result': {
      const tool = toolIn(scene, callAbove(scene, newest.block))
      return newest.isRunning
        ? makeObservation(scene, 'tool_running', { tool, ...elapsed }, { ...seen, ambiguous: ['tool_result'] })
        : makeObservation(scene, 'tool_result', { tool, ok: isResultOk(scene, newest.block) }, seen)
    }
    case 'user':
      if (!scene.working)
        return makeObservation(
          scene,
          'user_message',
          { text: scene.turn.echoText ?? '', queued: false },
          { rule: 'generic/echo', confidence: 0.5, busy: null },
        )
  }
  return makeObservation(scene, 'thinking', thinkingPayload(values, match), seen)
}

/** The task panel changed after the newest content. */
function isPanelNewest(scene: Scene): boolean {
  const { panel, transcript } = scene.memory
  const { t } = scene.frame
  if (!scene.todos || scene.todos.total === 0) return false
  const kind = scene.layout.blocks.at(-1)?.kind
  if (panel === null) return kind === undefined || kind === 'user'
  const shown = changedAt(panel, panelHash(scene), t)!
  const newest = changedAt(transcript, transcriptHash(scene.layout), t)
  return newest === null || shown.changedAt > newest.changedAt
}

/**
 * The call of a result: the one above it, or the result itself if the row of the call shows that it
 * has ended.
 */
function callAbove({ layout: { blocks, rows } }: Scene, result: RowBlock | null): RowBlock | null {
  const isHanging = (block: RowBlock) => block.spec === null || /^\s*[⎿└├↳]/u.test(rows[block.first]!.text)
  const before = result ? blocks.slice(0, blocks.indexOf(result)) : blocks
  if (result && !isHanging(result) && before.at(-1)?.kind !== 'tool_call') return result
  return (
    before.findLast(
      block => block.kind === 'tool_call' || (block.kind === 'tool_result' && result !== null && !isHanging(block)),
    ) ?? null
  )
}

function toolIn({ layout }: Scene, block: RowBlock | null): Payload['tool_running']['tool'] {
  if (!block) return { name: 'unknown', kind: 'other', summary: '' }
  const tool = toolOf(blockText(layout, block))
  // If the call is described in words, its command is attached below.
  const command = /^\s*[⎿└↳]\s+\$ (?<command>\S.*)$/u.exec(layout.rows[block.last + 1]?.text ?? '')?.groups?.command
  return command === undefined ? tool : { ...tool, kind: 'shell', command }
}

function isResultOk({ layout }: Scene, block: RowBlock | null): boolean | null {
  const failed = block?.spec?.failed
  if (!block || !failed) return null
  return layout.rows.slice(block.first, block.last + 1).some(row => failed.test(row.text)) ? false : null
}

function proseOf({ layout }: Scene, block: RowBlock | null): Payload['response_content'] {
  if (!block) return { block: 'prose', rows: [0, 0], tail: '' }
  return { block: block.kind, rows: [block.first, block.last], tail: layout.rows[block.last]!.text.trim() }
}
