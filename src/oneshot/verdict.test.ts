import { describe, expect, test } from 'vitest'
import { readVerdict } from './verdict.js'

const DONE = '{"verdict":"DONE","feedback":"all there"}'

describe('a verdict', () => {
  test.each<[string, string, string]>([
    ['the whole text', DONE, 'DONE'],
    ['with white space around it', `\n\n  ${DONE}\n`, 'DONE'],
    ['the only JSON block', `I looked.\n\n\`\`\`json\n${DONE}\n\`\`\`\nThat is all.`, 'DONE'],
    ['the only object in the text', `My verdict: ${DONE}`, 'DONE'],
    ['RETRY with "not done yet"', '{"verdict":"RETRY","feedback":"not done yet"}', 'RETRY'],
    ['impossible', '{"verdict":"IMPOSSIBLE","feedback":"two and two are four"}', 'IMPOSSIBLE'],
    ['DONE without feedback', '{"verdict":"DONE"}', 'DONE'],
    ['with findings', '{"verdict":"RETRY","feedback":"x","findings":[{"file":"a","line":1,"text":"y"}]}', 'RETRY'],
    ['with unexpected keys', '{"verdict":"DONE","feedback":"","confidence":1}', 'DONE'],
  ])('%s is accepted', (_, text, verdict) => {
    expect(readVerdict({ text }).verdict?.verdict).toBe(verdict)
  })

  test('takes precedence over the text if it is in structured output', () => {
    const structured = { verdict: 'RETRY', feedback: 'no' }
    expect(readVerdict({ text: DONE, structured }).verdict?.verdict).toBe('RETRY')
  })

  test.each<[string, string]>([
    ['an empty text', ''],
    ['a word', 'DONE'],
    ['a sentence', 'The task is DONE.'],
    ['an unknown word', '{"verdict":"UNKNOWN","feedback":"x"}'],
    ['lower case', '{"verdict":"done","feedback":"x"}'],
    ['mixed case', '{"verdict":"Done","feedback":"x"}'],
    ['incomplete', '{"verdict":"INCOMPLETE","feedback":"x"}'],
    ['not done', '{"verdict":"NOT DONE","feedback":"x"}'],
    ['white space in the word', '{"verdict":" DONE ","feedback":"x"}'],
    ['no verdict', '{"feedback":"x"}'],
    ['another key', '{"status":"DONE","feedback":"x"}'],
    ['a number', '{"verdict":1,"feedback":"x"}'],
    ['true', '{"verdict":true}'],
    ['null', '{"verdict":null}'],
    ['a list of verdicts', '{"verdict":["DONE"],"feedback":"x"}'],
    ['a list', '[{"verdict":"DONE","feedback":"x"}]'],
    ['a string with JSON in it', '"{\\"verdict\\":\\"DONE\\"}"'],
    ['two objects', `${DONE}\n${DONE}`],
    ['two contradicting objects', `${DONE} ${'{"verdict":"RETRY","feedback":"x"}'}`],
    ['two blocks', `\`\`\`json\n${DONE}\n\`\`\`\n\`\`\`json\n${DONE}\n\`\`\``],
    ['cut off', '{"verdict":"DONE","feedback":"al'],
    ['single quotes', "{'verdict':'DONE','feedback':'x'}"],
    ['without quotes', '{verdict: DONE}'],
    ['a trailing comma', '{"verdict":"DONE","feedback":"x",}'],
    ['a comment', '{"verdict":"DONE" /* sure */}'],
    ['RETRY without feedback', '{"verdict":"RETRY"}'],
    ['RETRY with empty feedback', '{"verdict":"RETRY","feedback":"  "}'],
    ['IMPOSSIBLE without feedback', '{"verdict":"IMPOSSIBLE","feedback":""}'],
    ['feedback that is not a string', '{"verdict":"DONE","feedback":{"a":1}}'],
    ['findings that are not a list', '{"verdict":"RETRY","feedback":"x","findings":"y"}'],
    ['a finding without a text', '{"verdict":"RETRY","feedback":"x","findings":[{"file":"a"}]}'],
    ['an object one level down', '{"answer":{"verdict":"DONE","feedback":"x"}}'],
    ['the form from the prompt', '{"verdict": "DONE" | "RETRY" | "IMPOSSIBLE", "feedback": "…"}'],
  ])('is rejected: %s', (_, text) => {
    const read = readVerdict({ text })
    expect(read.verdict).toBeNull()
    expect((read as { problem: string }).problem).not.toBe('')
  })
})
