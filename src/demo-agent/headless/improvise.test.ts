import { describe, expect, it } from 'vitest'
import { readAnswer } from './headless-surface.js'
import { roleOf, taskOf } from './improvise.js'
import { PIPELINE_TURNS, pipelineRoleOf } from './pipeline-roles.js'

it.each([
  ['Answer with {"verdict": "DONE"|"RETRY"}', 'auditor'],
  ['Return {"findings": []}', 'reviewer'],
  ['Please write a short plan for this', 'planner'],
  ['Fix the plan view of the station', 'worker'],
])('the prompt %s selects the role %s', (prompt, role) => {
  expect(roleOf(prompt)).toBe(role)
})

it('the task is found under its heading, or in the first line', () => {
  expect(taskOf('You are a worker.\n\n## Task\n\nPaint it red\n')).toBe('Paint it red')
  expect(taskOf('[demo:verdict DONE]\n# Paint it\n')).toBe('Paint it')
})

it('an answer is parsed with an option, or with only allow or deny', () => {
  const options = [
    { label: 'Yes', meaning: 'allow-session' as const },
    { label: 'No', meaning: 'deny' as const },
  ]
  expect(readAnswer({ option: 'Yes' }, options, '?').meaning).toBe('allow-session')
  expect(readAnswer({ decision: 'allow' }, options, '?').meaning).toBe('allow-once')
  expect(readAnswer({ decision: 'deny', message: 'why' }, options, '?')).toMatchObject({
    meaning: 'deny',
    answers: [{ text: 'why' }],
  })
  expect(readAnswer({}, options, '?').isCancelled).toBe(true)
})

describe('roles of the demo agent in a pipeline', () => {
  const once = () => 0
  const frame = (name: string, text: string) => `===== ${name} =====\n${text}\n===== end of ${name} =====`

  it('the Architect writes a plan with as many tasks as the issue requests, and copies the marks', () => {
    const prompt = `You are the Architect. … change no other file: docs/p.md\n\n${frame('issue', 'Add a lamp\n\n[demo:tasks 3]')}`
    expect(pipelineRoleOf(prompt)).toBe('architect')
    const tool = PIPELINE_TURNS.architect(prompt, once).steps.find(step => 'tool' in step) as {
      tool: { write: { path: string; text: string } }
    }
    expect(tool.tool.write.path).toBe('docs/p.md')
    expect(tool.tool.write.text.match(/^### Task \d: /gm)).toHaveLength(3)
    expect(tool.tool.write.text).toContain('[demo:tasks 3]')
  })

  it('the Reviewer uses its scripted verdicts in turn, one per review', () => {
    const prompt = `${frame('task', '[demo:review reject,approve]')}\n\n${frame('changes', '+++ b/a.ts')}\n{"approved": true | false}`
    const verdicts = [0, 1, 2].map(at =>
      JSON.parse((PIPELINE_TURNS.items(prompt, () => at).steps.at(-1) as { say: { markdown: string } }).say.markdown),
    )
    expect(verdicts.map(({ approved }) => approved)).toEqual([false, true, true])
    expect(verdicts[0].items[0].file).toBe('a.ts')
  })

  it('the Developer writes the file of the task, and the Evaluator mentions every item', () => {
    const done = PIPELINE_TURNS.developer(
      `You are the Developer.\n${frame('task', '### Task 1: x\nCreate: `b.md`')}`,
      once,
    )
    expect(JSON.stringify(done)).toContain('"path":"b.md"')
    const said = PIPELINE_TURNS.evaluator(frame('items', '#1 [major] a x\n\n#2 [minor] b y'), once).steps.at(-1) as {
      say: { markdown: string }
    }
    expect(JSON.parse(said.say.markdown).items).toHaveLength(2)
  })
})
