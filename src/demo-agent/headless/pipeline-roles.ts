import { plural } from '../../text/index.js'
import { sectionOf } from '../scenario/prompt-parts.js'
import type { Step, Turn } from '../scenario/types.js'

/** The roles of a pipeline, each recognised by a mark that only its prompt has. */
export type PipelineRole = 'architect' | 'developer' | 'items' | 'evaluator' | 'triage'

export function pipelineRoleOf(asked: string): PipelineRole | null {
  if (/\bYou are the Architect\b/.test(asked)) return 'architect'
  if (/\bYou are the Developer\b/.test(asked)) return 'developer'
  if (/"approved": true \| false/.test(asked)) return 'items'
  if (/"verdict": "must_fix"/.test(asked)) return 'triage'
  return /"disposition": "implement"/.test(asked) ? 'evaluator' : null
}

/** Lines such as `[demo:tasks 3]` control the roles; the Architect copies them to the plan. */
function readSteering(prompt: string): Record<string, string[]> {
  const found: Record<string, string[]> = {}
  for (const [, name, words] of prompt.matchAll(
    /^[+\s]*\[demo:(tasks|plan|review|evaluate|develop)\s+([^\]]+)\]\s*$/gm,
  ))
    found[name!] ??= words!.split(',').map(word => word.trim().toLowerCase())
  return found
}

/** How often a list of words was used, so that its words are used in turn. */
export type Count = (key: string) => number

export const PIPELINE_TURNS: Record<PipelineRole, (prompt: string, count: Count) => Turn> = {
  architect: architectTurn,
  developer: developerTurn,
  items: reviewerTurn,
  evaluator: evaluatorTurn,
  triage: triageTurn,
}

function nextWord(words: string[] | undefined, count: Count, key: string): string | undefined {
  return words?.[Math.min(count(`${key} ${words.join(',')}`), words.length - 1)]
}

function architectTurn(prompt: string, count: Count): Turn {
  const steering = readSteering(prompt)
  const path = /change no other file: (\S+)/.exec(prompt)?.[1] ?? 'docs/plan.md'
  const issue = sectionOf(prompt, 'issue') ?? 'Something'
  const title = issue
    .split('\n')[0]!
    .replace(/^#+\s*/, '')
    .slice(0, 80)
  const number = Math.max(1, Number(steering.tasks?.[0] ?? 2) || 2)
  const feedback = sectionOf(prompt, 'feedback')
  const word = nextWord(steering.plan, count, 'plan')
  if (word === 'prose') return { steps: [say('I have thought about it, and it should be easy.')] }
  const marks = [...new Set(prompt.match(/^[ \t]*\[demo:\w+\s+[^\]\n]+\][ \t]*$/gm)?.map(line => line.trim()))]
  const plan = planText({ title, number, feedback, marks, hasTasks: word !== 'notasks' })
  if (word === 'said') return { steps: [say(plan)] }
  return {
    steps: [
      { think: { ms: 800, label: 'Planning' } },
      { tool: { name: 'Write', kind: 'write', write: { path, text: plan }, permission: true } },
      say(`The plan is in ${path}.`),
    ],
  }
}

function planText({
  title,
  number,
  feedback,
  marks,
  hasTasks,
}: {
  title: string
  number: number
  feedback: string | null
  marks: string[]
  hasTasks: boolean
}): string {
  const tasks = Array.from({ length: number }, (_, index) => {
    const at = index + 1
    return [
      `### Task ${at}: ${title} (part ${at})`,
      '',
      `Create: \`demo/task-${at}.md\``,
      '',
      `1. Write what part ${at} is about into \`demo/task-${at}.md\`.`,
      `2. Run \`git status\`; expected: one changed file.`,
    ].join('\n')
  })
  return `${[
    `# ${title} Implementation Plan`,
    `**Goal:** ${title}, in ${number} small and tested steps.`,
    `**Success criteria:** every part has a file of its own, and the checks pass.`,
    ...(feedback ? [`**Asked for:** ${feedback.replace(/\s+/g, ' ')}`] : []),
    ...(marks.length > 0 ? [marks.join('\n')] : []),
    ...(hasTasks ? tasks : ['The work is small enough to be done in one go, so there are no tasks here.']),
  ].join('\n\n')}\n`
}

function developerTurn(prompt: string, count: Count): Turn {
  const task = sectionOf(prompt, 'task') ?? sectionOf(prompt, 'items') ?? prompt
  const comments = sectionOf(prompt, 'review comments') ?? sectionOf(prompt, 'items')
  const word = nextWord(readSteering(prompt).develop, count, 'develop')
  const named = /(?:Create|Modify|Update):\s*`([^`]+)`/.exec(task)?.[1]
  const commented = /^#\d+ \[\w+\] (\S+?)(?::\d+)? /m.exec(comments ?? '')?.[1]
  const path = named ?? commented ?? 'DEMO.md'
  const header = /^### Task [\d.]+: (.*)$/m.exec(task)?.[1] ?? 'the items'
  if (word === 'nothing') return { steps: [say('Everything was there already.')] }
  const text = comments
    ? `- settled what the review said about ${header}\n`
    : `# ${header}\n\nDone by the demo agent.\n`
  return {
    steps: [
      { think: { ms: 700, label: 'Working' } },
      { tool: { name: 'Edit', kind: 'edit', append: { path, text }, permission: true } },
      say(comments ? `Settled the comments in ${path}.` : `Done: ${path} is written.`),
    ],
  }
}

function reviewerTurn(prompt: string, count: Count): Turn {
  const word = nextWord(readSteering(prompt).review, count, 'review') ?? 'approve'
  if (word === 'prose') return { steps: [say('This looks good to me, ship it!')] }
  if (word === 'empty') return { steps: [say(' ')] }
  if (word === 'broken') return { steps: [say('{"approved": true, "items": [')] }
  const file = /^\+\+\+ b\/(.+)$/m.exec(sectionOf(prompt, 'changes') ?? '')?.[1] ?? 'DEMO.md'
  const severity = word === 'minor' ? 'minor' : word === 'critical' ? 'critical' : 'major'
  const item = {
    number: 1,
    severity,
    file,
    line: 1,
    title: 'The text says too little',
    issue: 'It does not say what was checked.',
    why: 'Whoever reads it cannot tell whether it works.',
    fix: 'Say what was checked.',
  }
  const review =
    word === 'approve'
      ? { approved: true, severity: 'none', summary: 'It does what was asked.', items: [] }
      : { approved: word === 'minor', severity, summary: 'Something is missing.', items: [item] }
  return { steps: [{ think: { ms: 600, label: 'Reviewing' } }, say(JSON.stringify(review))] }
}

function evaluatorTurn(prompt: string, count: Count): Turn {
  const word = nextWord(readSteering(prompt).evaluate, count, 'evaluate') ?? 'implement'
  const numbers = [...(sectionOf(prompt, 'items') ?? '').matchAll(/^#(\d+) \[/gm)].map(([, number]) => Number(number))
  const items = numbers.map(number => ({ number, disposition: word, reason: 'The code at this line shows it.' }))
  return {
    steps: [
      { think: { ms: 600, label: 'Evaluating' } },
      say(JSON.stringify({ items, summary: `${plural(items.length, 'item')} looked at.` })),
    ],
  }
}

/** Judges the items of a pull request by their words. */
function triageTurn(prompt: string): Turn {
  const items = [
    ...(sectionOf(prompt, 'items') ?? '').matchAll(/^#(\d+) \[(\w+)\].*\n([\s\S]*?)(?=\n\n#\d+ \[|$)/gm),
  ].map(([, number, kind, body]) => {
    const isCheck = kind === 'check'
    const verdict = isCheck || /\bbug\b/i.test(body!) ? 'must_fix' : /\?/.test(body!) ? 'question' : 'nit'
    const reason = isCheck ? 'The log shows which test fails.' : 'The code at this line shows it.'
    const reply = verdict === 'question' ? 'It keeps the old behaviour for callers.' : 'Thank you, that is right.'
    return { number: Number(number), verdict, reason, reply }
  })
  return {
    steps: [
      { think: { ms: 600, label: 'Judging' } },
      say(JSON.stringify({ items, summary: `${items.length} items judged.` })),
    ],
  }
}

function say(markdown: string): Step {
  return { say: { markdown, chunk: 400 } }
}
