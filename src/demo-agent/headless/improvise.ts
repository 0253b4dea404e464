import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readDirectives } from '../scenario/pick-turn.js'
import { instructionsOf, taskSection } from '../scenario/prompt-parts.js'
import type { Scenario, Turn } from '../scenario/types.js'
import { compileMatch } from '../scenario/validate.js'
import { Transcript } from '../transcript.js'
import { PIPELINE_TURNS, pipelineRoleOf } from './pipeline-roles.js'

export type Role = 'auditor' | 'reviewer' | 'planner' | 'worker'

/** The role that a prompt asks for, by the requested answer; a framed task is material. */
export function roleOf(prompt: string): Role {
  const asked = instructionsOf(prompt)
  if (asked.includes('"verdict"') || /\[demo:verdict\b/.test(asked)) return 'auditor'
  if (/"(approved|review|findings|issues)"/.test(asked)) return 'reviewer'
  if (/\b(write|make|create|produce|draft|propose)\b[^.\n]{0,60}\bplan\b/i.test(asked)) return 'planner'
  return 'worker'
}

/** Answers prompts that no script covers, each role in its own way and always the same. */
export function improviser(scenario: Scenario, home: string, cwd: string): (prompt: string) => Turn | null {
  return prompt => {
    const isScripted = scenario.turns.some(turn => turn.match !== undefined && compileMatch(turn.match)(prompt))
    const hasVerdicts = roleOf(prompt) === 'auditor' && readDirectives(prompt).verdicts !== undefined
    if (isScripted || (!scenario.headless?.auto && !hasVerdicts)) return null
    const inPipeline = pipelineRoleOf(instructionsOf(prompt))
    if (inPipeline !== null) return PIPELINE_TURNS[inPipeline](prompt, key => nextCount([key], { scenario, home, cwd }))
    const report = reportOf(prompt)
    if (report !== null) return reportingTurn(report, prompt, { scenario, home, cwd })
    return TURNS[roleOf(prompt)](prompt, { scenario, home, cwd })
  }
}

/** A prompt of a workflow that needs a report ends with an example of it: that is the answer. */
const REPORT = /\nEnd your answer with exactly one JSON object of this form:\n(\{.*\})\n/

function reportOf(prompt: string): string | null {
  return REPORT.exec(prompt)?.[1] ?? null
}

/**
 * Does what the rest of the prompt asks, and reports as the example does. A choice changes nothing.
 */
function reportingTurn(report: string, prompt: string, context: Context): Turn {
  const answer = { say: { markdown: report, chunk: 400 } }
  if (report.startsWith('{"best_id"')) return { steps: [{ think: { ms: 600, label: 'Comparing' } }, answer] }
  const asked = prompt.slice(0, prompt.search(REPORT))
  const role = roleOf(asked)
  const { steps } = TURNS[role === 'planner' ? 'planner' : 'worker'](asked, context)
  return { steps: [...steps, answer] }
}

interface Context {
  scenario: Scenario
  home: string
  cwd: string
}

const TURNS: Record<Role, (prompt: string, context: Context) => Turn> = {
  auditor: (prompt, context) => {
    const verdicts = readDirectives(prompt).verdicts ?? context.scenario.headless?.verdicts ?? ['DONE']
    const verdict = verdicts[Math.min(nextCount(verdicts, context), verdicts.length - 1)]!
    const feedback = context.scenario.headless?.feedback ?? FEEDBACK[verdict] ?? 'No comment.'
    return {
      steps: [
        { think: { ms: 600, label: 'Auditing' } },
        { say: { markdown: JSON.stringify({ verdict, feedback }), chunk: 400 } },
      ],
    }
  },
  reviewer: () => ({
    steps: [
      { think: { ms: 600, label: 'Reviewing' } },
      {
        say: {
          markdown: JSON.stringify({
            approved: true,
            summary: 'The change does what it says.',
            findings: [],
            issues: [],
          }),
          chunk: 400,
        },
      },
    ],
  }),
  planner: prompt => {
    const task = taskOf(prompt)
    const tasks = [`Find where "${task}" belongs`, 'Make the change', 'Run the tests']
    const markdown = /"(tasks|steps)"/.test(prompt)
      ? JSON.stringify({ plan: task, tasks, steps: tasks })
      : `# Plan\n\n${tasks.map((item, index) => `${index + 1}. ${item}`).join('\n')}`
    return { steps: [{ think: { ms: 800, label: 'Planning' } }, { say: { markdown, chunk: 40 } }] }
  },
  worker: prompt => {
    const task = taskOf(prompt)
    return {
      steps: [
        { think: { ms: 700, label: 'Looking around', thought: 'A small note in DEMO.md will do.' } },
        { say: { markdown: `I will note the task in \`DEMO.md\`: ${task}` } },
        { tool: { name: 'Edit', kind: 'edit', append: { path: 'DEMO.md', text: `- ${task}\n` }, permission: true } },
        { say: { markdown: `Done: \`DEMO.md\` now mentions "${task}".` } },
      ],
    }
  },
}

const FEEDBACK: Record<string, string> = {
  DONE: 'The task is done as asked.',
  RETRY: 'One part is missing; please look at the task again.',
  IMPOSSIBLE: 'The task contradicts itself.',
}

/** The first line of a framed task, else after a "Task" heading, else the first with text. */
export function taskOf(prompt: string): string {
  const lines = (taskSection(prompt) ?? prompt).split('\n').map(line => line.trim())
  const heading = lines.findIndex(line => /^#*\s*task\b:?$/i.test(line))
  const task =
    lines.slice(heading + 1).find(line => line !== '' && !line.startsWith('[demo:')) ?? 'nothing in particular'
  return task.replace(/^#+\s*/, '').slice(0, 80)
}

/** Counts the audits of one list of verdicts in one directory, across successive processes. */
function nextCount(verdicts: string[], { home, cwd }: Context): number {
  const key = createHash('sha256')
    .update(`${cwd}\n${verdicts.join(',')}`)
    .digest('hex')
    .slice(0, 12)
  const directory = Transcript.directory(home)
  mkdirSync(directory, { recursive: true })
  const file = join(directory, `verdicts-${key}.count`)
  let count = 0
  try {
    count = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    // The first audit: there is no count yet.
  }
  writeFileSync(file, String(count + 1))
  return count
}
