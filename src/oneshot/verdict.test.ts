import { describe, expect, test } from 'vitest'
import { readVerdict } from './verdict.js'

const DONE = '{"verdict":"DONE","feedback":"all there"}'

describe('a verdict', () => {
  test.each<[string, string, string]>([
    ['the whole text', DONE, 'DONE'],
    ['with blanks around it', `\n\n  ${DONE}\n`, 'DONE'],
    ['the only block of JSON', `I looked.\n\n\`\`\`json\n${DONE}\n\`\`\`\nThat is all.`, 'DONE'],
    ['the only object in the text', `My verdict: ${DONE}`, 'DONE'],
    ['"not done yet" read as done', '{"verdict":"RETRY","feedback":"not done yet"}', 'RETRY'],
    ['impossible', '{"verdict":"IMPOSSIBLE","feedback":"two and two are four"}', 'IMPOSSIBLE'],
    ['done without words', '{"verdict":"DONE"}', 'DONE'],
    ['with findings', '{"verdict":"RETRY","feedback":"x","findings":[{"file":"a","line":1,"text":"y"}]}', 'RETRY'],
    ['with keys nobody asked for', '{"verdict":"DONE","feedback":"","confidence":1}', 'DONE'],
  ])('%s', (_, text, verdict) => {
    expect(readVerdict({ text }).verdict?.verdict).toBe(verdict)
  })

  test('what the agent was held to counts before what it said', () => {
    const structured = { verdict: 'RETRY', feedback: 'no' }
    expect(readVerdict({ text: DONE, structured }).verdict?.verdict).toBe('RETRY')
  })

  test.each<[string, string]>([
    ['nothing', ''],
    ['a word', 'DONE'],
    ['a sentence', 'The task is DONE.'],
    ['unknown read as done', '{"verdict":"UNKNOWN","feedback":"x"}'],
    ['lower case', '{"verdict":"done","feedback":"x"}'],
    ['mixed case', '{"verdict":"Done","feedback":"x"}'],
    ['incomplete', '{"verdict":"INCOMPLETE","feedback":"x"}'],
    ['not done', '{"verdict":"NOT DONE","feedback":"x"}'],
    ['blanks in the word', '{"verdict":" DONE ","feedback":"x"}'],
    ['no verdict', '{"feedback":"x"}'],
    ['another key', '{"status":"DONE","feedback":"x"}'],
    ['a number', '{"verdict":1,"feedback":"x"}'],
    ['true', '{"verdict":true}'],
    ['null', '{"verdict":null}'],
    ['a list of verdicts', '{"verdict":["DONE"],"feedback":"x"}'],
    ['a list', '[{"verdict":"DONE","feedback":"x"}]'],
    ['a string with JSON in it', '"{\\"verdict\\":\\"DONE\\"}"'],
    ['two objects', `${DONE}\n${DONE}`],
    ['two that contradict', `${DONE} ${'{"verdict":"RETRY","feedback":"x"}'}`],
    ['two blocks', `\`\`\`json\n${DONE}\n\`\`\`\n\`\`\`json\n${DONE}\n\`\`\``],
    ['cut off', '{"verdict":"DONE","feedback":"al'],
    ['single quotes', "{'verdict':'DONE','feedback':'x'}"],
    ['without quotes', '{verdict: DONE}'],
    ['a trailing comma', '{"verdict":"DONE","feedback":"x",}'],
    ['a comment', '{"verdict":"DONE" /* sure */}'],
    ['RETRY without words', '{"verdict":"RETRY"}'],
    ['RETRY with empty words', '{"verdict":"RETRY","feedback":"  "}'],
    ['IMPOSSIBLE without words', '{"verdict":"IMPOSSIBLE","feedback":""}'],
    ['feedback that is no text', '{"verdict":"DONE","feedback":{"a":1}}'],
    ['findings that are no list', '{"verdict":"RETRY","feedback":"x","findings":"y"}'],
    ['a finding without a text', '{"verdict":"RETRY","feedback":"x","findings":[{"file":"a"}]}'],
    ['one level down', '{"answer":{"verdict":"DONE","feedback":"x"}}'],
    ['the form as it was asked for', '{"verdict": "DONE" | "RETRY" | "IMPOSSIBLE", "feedback": "…"}'],
  ])('is not: %s', (_, text) => {
    const read = readVerdict({ text })
    expect(read.verdict).toBeNull()
    expect((read as { complaint: string }).complaint).not.toBe('')
  })
})
