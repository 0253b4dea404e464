import { PULL_VERDICTS } from '../../events/index.js'
import type { PipelineArgs } from '../args.js'
import type { PullState } from '../state.js'
import { findPrompt } from './find-prompt.js'
import { DATA_NOTE, promptSection, type RolePrompt, retryNote } from './role-prompts.js'

export function triagePrompt({ profile }: PipelineArgs, pull: PullState, problem: string | null): RolePrompt {
  const used = findPrompt('evaluator.pull_request', profile.prompts)
  const items = pull.items.map(({ number, kind, author, is_bot: isBot, file, line, body }) => {
    const location = file === '' ? '' : ` ${file}${line === null ? '' : `:${line}`}`
    const who = kind === 'check' ? 'failed check' : `${isBot ? 'bot' : 'person'} ${author}`
    return `#${number} [${kind}]${location} (${who})\n${body}`
  })
  const parts = [
    used.text,
    `The pull request: ${pull.title}`,
    DATA_NOTE,
    promptSection('items', items.join('\n\n')),
    ANSWER,
  ]
  if (problem !== null) parts.push(retryNote(problem))
  return { text: `${parts.join('\n\n')}\n`, used }
}

const ANSWER = `Answer with exactly one JSON object and nothing else:
{"items": [{"number": 1, "verdict": ${PULL_VERDICTS.map(verdict => `"${verdict}"`).join(' | ')}, "reason": "…", "reply": "…"}], "summary": "…"}
One entry for every item.`
