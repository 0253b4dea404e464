import { makeObservation } from './make-observation.js'
import type { Observation } from './observation.js'
import { agentsPayload, backgroundPayload, errorPayload, promptKind } from './payloads.js'
import { bestMatch, type Scene } from './scene.js'
import type { ShellState } from './shell.js'
import { blockText, newestContent } from './turn.js'
import type { Payload } from './view.js'

/** A live input box without work. */
export function observeRest(scene: Scene): Observation {
  const { layout, pack } = scene
  const auth = bestMatch(scene, match => match.rule.view === 'auth_required')
  if (auth) return makeObservation(scene, 'auth_required', { method: 'login' }, { match: auth, busy: false })
  const error = bestMatch(scene, match => match.rule.view === 'error')
  if (error)
    return makeObservation(scene, 'error', errorPayload(error, error.text, true), { match: error, busy: false })
  const newest = newestContent(layout.blocks)
  if (newest?.kind === 'error')
    return makeObservation(scene, 'error', errorPayload(null, blockText(layout, newest), true), {
      rule: `${pack.agent}/block.error`,
      anchored: true,
      confidence: 0.85,
      busy: false,
    })
  const agents = bestMatch(scene, match => match.rule.view === 'parallel_agents')
  if (agents)
    return makeObservation(scene, 'parallel_agents', agentsPayload(layout.rows, pack, agents), {
      match: agents,
      busy: true,
    })
  const background = bestMatch(scene, match => match.rule.view === 'background_task')
  if (background)
    return makeObservation(scene, 'background_task', backgroundPayload(background), { match: background, busy: false })
  return observeIdle(scene)
}

function observeIdle(scene: Scene): Observation {
  const { layout, pack, memory, turn } = scene
  const idle = bestMatch(scene, match => match.rule.view === 'idle_prompt')
  const payload: Payload['idle_prompt'] = {
    fresh: turn.echo === null && !memory.turnOpen && memory.echo === null,
    prompt: promptKind(pack, idle),
    ...(layout.terminator && { lastTurn: layout.terminator.outcome }),
  }
  const isAnchored = layout.isComposerAnchored
  const isLeaving = bestMatch(scene, match => match.rule.awaiting === 'exit_confirm') !== null
  return makeObservation(scene, 'idle_prompt', payload, {
    ...(idle
      ? { match: idle }
      : {
          rule: `${isAnchored ? pack.agent : 'generic'}/composer`,
          confidence: isAnchored ? 0.85 : scene.frame.isPlainText ? 0.5 : 0.7,
          anchored: isAnchored,
        }),
    busy: false,
    awaiting: isLeaving ? 'exit_confirm' : (idle?.rule.awaiting ?? null),
  })
}

/**
 * A shell, REPL, debugger, pager or editor that waits for its user: that is rest, not a question.
 */
export function observePrompt(scene: Scene, shell: Extract<ShellState, { is: 'prompt' }>): Observation {
  return makeObservation(
    scene,
    'idle_prompt',
    { fresh: scene.memory.prompt === null, prompt: shell.kind },
    {
      rule: `generic/prompt.${shell.kind}`,
      confidence: 0.7,
      anchored: false,
      busy: false,
      awaiting: shell.kind === 'shell' ? null : 'input',
    },
  )
}
