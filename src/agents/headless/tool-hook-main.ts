import { appendFileSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { runCommand } from '../../process/index.js'
import { parseRecord, textOf } from '../json-lines.js'

/*
 * A separate program: an agent starts it before and after each of its tool calls, with the call as
 * JSON on standard input. It runs the command of the graph with the same input and the name of the
 * tool in SIGNALBOX_TOOL. Exit code 2 makes the agent skip the call and read the reason; other
 * codes mean nothing to it. Refused and failed commands are logged for the run.
 */

const { values, positionals } = parseArgs({
  options: { when: { type: 'string' }, log: { type: 'string' } },
  allowPositionals: true,
})

const input = readFileSync(0, 'utf8')
const tool = textOf(parseRecord(input)?.tool_name) ?? ''
const { code, stdout, stderr } = await runCommand('/bin/sh', ['-c', positionals[0] ?? ''], {
  cwd: process.cwd(),
  env: { ...process.env, SIGNALBOX_TOOL: tool },
  input,
})
if (code !== 0) {
  const text = `${stderr}${stdout}`.trim().slice(0, 500)
  const isBefore = values.when === 'pre'
  appendFileSync(values.log!, `${JSON.stringify({ when: values.when, tool, code, text })}\n`)
  if (isBefore) {
    process.stderr.write(`tool_hooks.pre refused this call${text === '' ? '' : `: ${text}`}\n`)
    process.exitCode = 2
  }
}
