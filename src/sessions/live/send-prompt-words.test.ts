import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runToEnd } from '../../clock/testing/run-to-end.js'
import type { AgentScript } from '../testing/scripted-agent.js'
import { agentOf, BULK, clock, GENERIC, packOf, send, TYPED, useSendFixture } from '../testing/send-fixture.js'
import { sendPrompt } from './send-prompt.js'
import { typingOf } from './send-text.js'

useSendFixture()

describe('the bytes of a prompt', () => {
  test('several lines are sent as one bracketed paste', async () => {
    const agent = agentOf()
    await send(agent, 'one\r\ntwo\rthree', TYPED)
    expect(agent.writes).toEqual(['\u001b[200~one\ntwo\nthree\u001b[201~', '\r'])
  })

  test('text of more than 400 characters or with a tab is sent as one bracketed paste', async () => {
    for (const text of ['x'.repeat(401), 'a\tb']) {
      const agent = agentOf()
      await send(agent, text, TYPED)
      expect(agent.writes[0]).toBe(`\u001b[200~${text}\u001b[201~`)
    }
    const agent = agentOf()
    await send(agent, 'x'.repeat(400), TYPED)
    expect(agent.writes).toHaveLength(401)
  })

  test("line breaks without bracketed paste are the agent's newline key, and tabs are blanks", async () => {
    const agent = agentOf({ isBracketedPaste: false })
    await send(agent, 'one\ntwo\tx', packOf('mode = "bulk", pace_ms = 0, settle_ms = 1, newline = "\\u001b\\n"'))
    expect(agent.writes[0]).toBe('one\u001b\ntwo    x')
  })

  test('an unknown program without bracketed paste gets no line breaks', async () => {
    const agent = agentOf({ isBracketedPaste: false })
    expect(await send(agent, 'one\ntwo', GENERIC)).toMatchObject({ result: 'refused', reason: 'text' })
    expect(agent.writes).toEqual([])
    expect(await send(agentOf({ isBracketedPaste: false }), 'one line', GENERIC)).toEqual({ result: 'delivered' })
  })

  test('no control character and no paste marker is ever sent', async () => {
    const nasty = fc.array(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.constantFrom(
          '\u001b[201~',
          '\u001b[20\u001b[201~1~',
          '\u009b201~',
          '\u0003',
          '\r',
          '\r\n',
          '\u007f',
          '\u0000',
          'word',
        ),
      ),
      { maxLength: 6 },
    )
    await fc.assert(
      fc.asyncProperty(nasty, fc.boolean(), async (parts, isBracketedPaste) => {
        const agent = agentOf({ isBracketedPaste })
        await send(agent, parts.join(''))
        const text = agent.typed.replace(/^\u001b\[200~/, '').replace(/\u001b\[201~$/, '')
        expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['an empty text', ''],
    ['blanks', '  \n\t '],
    ['a text of control keys', '\u0003\u001b'],
    ['a text over the limit', 'x'.repeat(100_001)],
  ])('%s is refused, and no byte is written', async (_, text) => {
    const agent = agentOf()
    expect(await send(agent, text)).toMatchObject({ result: 'refused', reason: 'text' })
    expect(agent.writes).toEqual([])
  })
})

describe('a text that starts like a command', () => {
  const typed = async (text: string, script: AgentScript = {}, meaning?: 'text' | 'command') => {
    const agent = agentOf(script)
    const result = await runToEnd(clock, sendPrompt(agent, text, { pack: BULK, clock, ...(meaning && { meaning }) }))
    expect(result).toEqual({ result: 'delivered' })
    return agent.writes[0]
  }

  test.each(['/etc/hosts is wrong', '@everyone look', '# Title'])('%s is sent as a paste', async text => {
    expect(await typed(text)).toBe(`\u001b[200~${text}\u001b[201~`)
  })

  test('is pasted after the pack’s prefix, or after an invisible character if there is none', async () => {
    const pasted = (text: string, literal = '') => {
      const pack = packOf(`mode = "bulk"${literal && `, literal = ${literal}`}`)
      return typingOf(text, { pack, isBracketedPaste: true, meaning: 'text' })!.text
    }
    expect(pasted('!important')).toBe('\u2060!important')
    expect(pasted('!important', '{ "!" = "" }')).toBe('!important')
    expect(pasted('/model', '{ "!" = "", "/" = " " }')).toBe(' /model')
    expect(pasted('/etc/hosts is wrong', '{ "/" = " " }')).toBe('/etc/hosts is wrong')
  })

  test('is typed with a leading blank if the program accepts no paste', async () => {
    expect(await typed('!important', { isBracketedPaste: false })).toBe(' !important')
  })

  test('is typed if it is a command or sent as one', async () => {
    expect(await typed('/model opus')).toBe('/model opus')
    expect(await typed('!ls', {}, 'command')).toBe('!ls')
    expect(await typed('/model', {}, 'text')).toBe('\u001b[200~\u2060/model\u001b[201~')
  })
})
