import { systemClock } from '../../clock/index.js'
import type { Answer } from '../../engine/index.js'
import { questionOf, readAnswer } from '../../engine/index.js'
import { EXIT, SignalboxError } from '../../errors/index.js'
import { RunGates } from '../../runs/index.js'
import { visibleText } from '../../text/index.js'
import { decideFromCli, localPerson } from '../approvals/decide-request.js'
import { findOption } from '../approvals/pick-option.js'
import type { CommandContext } from '../context.js'
import { withStore } from '../runs/with-store.js'
import type { CommandInput } from '../specs/command-spec.js'

export async function run(context: CommandContext, input: CommandInput): Promise<number> {
  const { args, options } = input
  return (
    (await answerGate(context, input)) ??
    decideFromCli(context, {
      id: String(args.id),
      wants: 'answer',
      option: (args.option as string | undefined) ?? null,
      choices: (options.choice as string[] | undefined) ?? [],
      text: (options.text as string | undefined) ?? null,
      note: (options.note as string | undefined) ?? null,
      edit: null,
      grant: null,
      fingerprint: (options.fingerprint as string | undefined) ?? null,
      waits: options.wait !== false,
      isJson: options.json === true,
    })
  )
}

/** A gate of a run is answered in the store itself, so that no daemon is needed; null for everything that an agent in a session asked. */
async function answerGate(context: CommandContext, { args, options }: CommandInput): Promise<number | null> {
  if (context.env.SIGNALBOX_SESSION) return null
  return withStore(context, async store => {
    const gates = new RunGates(store, systemClock)
    const record = await gates.find(String(args.id)).catch(error => {
      // What this store does not know, or knows as something else, is for the daemon to judge.
      if (error instanceof SignalboxError && ['E_UNKNOWN', 'E_INPUT'].includes(error.code)) return null
      throw error
    })
    if (!record) return null
    if (context.env.SIGNALBOX_STEP)
      throw new SignalboxError('E_ROLE', 'an agent cannot decide for itself: this shell belongs to a run', {
        next: 'decide from a terminal of your own',
      })
    const question = questionOf(record)
    const answer = readOptions(question, args.option as string | undefined, options)
    await gates.answer(record, answer, localPerson(), {
      ...(options.note !== undefined && { note: String(options.note) }),
      ...(options.fingerprint !== undefined && { fingerprint: String(options.fingerprint) }),
    })
    const { run } = record.subject
    if (options.json) context.json(await gates.get(record.id))
    else {
      context.out(`${record.id}: ${visibleText(labelOf(question, answer))} — answered`)
      context.note(`where nobody drives the run: signalbox resume ${run}`)
    }
    return EXIT.ok
  })
}

type Question = ReturnType<typeof questionOf>

function readOptions(question: Question, option: string | undefined, options: Record<string, unknown>): Answer {
  const choices = (options.choice as string[] | undefined) ?? []
  const known = question.options as never
  if (choices.length > 0) {
    const keys = choices.map(choice => findOption(known, choice).key)
    return question.type === 'MULTI_SELECT' ? { choices: keys } : { option: keys[0]! }
  }
  if (options.text !== undefined) return { text: String(options.text) }
  if (option === undefined)
    throw new SignalboxError('E_INPUT', 'an answer names an option, a choice or a text', {
      next: `it offers: ${question.options.map(({ label }) => label).join(' · ') || 'a text'}`,
    })
  return readAnswer(question, option) ?? { option: findOption(known, option).key }
}

function labelOf({ options }: Question, answer: Answer): string {
  if ('text' in answer) return answer.text
  const keys = 'option' in answer ? [answer.option] : 'choices' in answer ? answer.choices : []
  return keys.map(key => options.find(option => option.key === key)?.label ?? key).join(' · ')
}
