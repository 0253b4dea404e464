import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import type { InterviewQuestion } from '../../engine/index.js'
import type { CommandContext } from '../context.js'
import { ConsoleInterviewer, GateClosed } from './gate-interviewer.js'

const OPTIONS = [
  { key: 'Y', label: '[Y] Yes, ship it' },
  { key: 'N', label: 'N) Not yet' },
]

function question(type: InterviewQuestion['type'], takesText = false, options = OPTIONS): InterviewQuestion {
  return { id: 'apr_1', text: 'Ship\u001b[31m it?', type, options, takesText, stage: 'gate', fingerprint: 'f' }
}

/** A terminal that types these lines, each after a prompt. */
function terminal(...lines: string[]) {
  const printed: string[] = []
  const input = new PassThrough()
  const output = new PassThrough()
  output.on('data', chunk => {
    printed.push(String(chunk))
    if (!String(chunk).endsWith('> ')) return
    const line = lines.shift()
    if (line === undefined) input.end()
    else input.write(`${line}\n`)
  })
  const context = { out: (line: string) => printed.push(line), style: (_: string, text: string) => text }
  const abort = new AbortController()
  const interviewer = new ConsoleInterviewer(context as unknown as CommandContext, abort.signal, { input, output })
  return { interviewer, printed, abort }
}

test.each<[string, InterviewQuestion, string, object]>([
  ['a key', question('MULTIPLE_CHOICE'), 'n', { option: 'N' }],
  ['a label', question('YES_NO'), 'yes, ship it', { option: 'Y' }],
  ['a number', question('CONFIRMATION'), '2', { option: 'N' }],
  ['several keys', question('MULTI_SELECT'), 'y, n', { choices: ['Y', 'N'] }],
  ['free text', question('FREEFORM', true, []), 'first the docs', { text: 'first the docs' }],
])('the console accepts %s', async (_, asked, typed, answer) => {
  const { interviewer, printed } = terminal(typed)
  expect(await interviewer.ask(asked)).toEqual(answer)
  expect(printed.join('\n')).toContain('Ship␛[31m it?')
})

test('the console asks again after an invalid answer, and an empty line approves nothing', async () => {
  const { interviewer, printed } = terminal('', 'maybe', 'Y')
  expect(await interviewer.ask(question('YES_NO'))).toEqual({ option: 'Y' })
  expect(printed.filter(line => line.includes('not one of the answers')).length).toBe(2)
})

test('a console that is closed, or whose gate was answered elsewhere, decides nothing', async () => {
  await expect(terminal().interviewer.ask(question('YES_NO'))).rejects.toThrow(GateClosed)
  const { interviewer, abort } = terminal('maybe')
  abort.abort()
  await expect(interviewer.ask(question('YES_NO'))).rejects.toThrow(GateClosed)
})
