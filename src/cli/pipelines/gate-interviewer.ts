import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApprovalRecord } from '../../approvals/index.js'
import type { Answer } from '../../engine/index.js'
import { questionOf } from '../../engine/index.js'
import type { RunGates } from '../../runs/index.js'
import { localPerson } from '../approvals/local-person.js'
import type { CommandContext } from '../context.js'
import { ConsoleInterviewer, GateGone } from '../graphs/console-interviewer.js'

/** Answers the gates of a pipeline at this terminal: what needs words asks for them, what needs an editor opens it. */
export function askAtTerminal(context: CommandContext) {
  return async (gates: RunGates, approval: string, signal: AbortSignal): Promise<void> => {
    const interviewer = new ConsoleInterviewer(context, signal)
    try {
      for (;;) {
        const record = await gates.get(approval)
        if (record?.state !== 'pending') return
        const answer = await complete(interviewer, record, await interviewer.ask(questionOf(record)))
        if (answer === null) continue
        await gates.answer(record, answer, localPerson())
        return
      }
    } catch (error) {
      if (!(error instanceof GateGone)) throw error
    }
  }
}

/** Null: the person thought better of it, and is asked again. */
async function complete(
  interviewer: ConsoleInterviewer,
  record: ApprovalRecord,
  answer: Answer,
): Promise<Answer | null> {
  if (!('option' in answer) || record.kind !== 'plan') return answer
  if (answer.option === 'reject') {
    const said = await interviewer.ask({
      ...questionOf(record),
      text: 'What should be different?',
      options: [],
      type: 'FREEFORM',
      takesText: true,
    })
    return 'text' in said ? { option: 'reject', text: said.text! } : null
  }
  if (answer.option !== 'edit' && answer.option !== 'replace') return answer
  const input = record.request.input as { plan_markdown: string }
  const edited = edit(input.plan_markdown)
  if (edited === null) {
    await interviewer.inform('nothing was changed')
    return null
  }
  return answer.option === 'edit'
    ? { option: 'approve', editedInput: { ...input, plan_markdown: edited } }
    : { option: 'replace', text: edited }
}

/** The text as the person leaves it in their editor; null where they leave it as it is. */
function edit(text: string): string | null {
  const directory = mkdtempSync(join(tmpdir(), 'signalbox-plan-'))
  const file = join(directory, 'plan.md')
  try {
    writeFileSync(file, text)
    const [program = 'vi', ...args] = (process.env.VISUAL || process.env.EDITOR || 'vi').split(' ')
    spawnSync(program, [...args, file], { stdio: 'inherit' })
    const after = readFileSync(file, 'utf8')
    return after === text || after.trim() === '' ? null : after
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
