import { normaliseLines, type PlanLine, planLines } from './markdown-lines.js'

type PlanSeverity = 'none' | 'major' | 'critical'

export interface PlanReport {
  isValid: boolean
  /** First those that prevent automatic approval, then those that are only reported. */
  issues: PlanIssue[]
  severity: PlanSeverity
  goal: string | null
  /** At least 1: a plan without tasks that a person approves anyway is one task. */
  taskCount: number
  /** One for each header; null if the header has none. */
  titles: (string | null)[]
  numbers: string[]
  keyFiles: string[]
}

export const BLOCKING_ISSUES = ['no_task_header', 'no_goal', 'too_short'] as const
const NOTED_ISSUES = ['duplicate_task_number', 'task_without_body'] as const
type PlanIssue = (typeof BLOCKING_ISSUES)[number] | (typeof NOTED_ISSUES)[number]

const LENGTH_MIN = 200
const TASK_HEADER = /^### Task (\d+(?:\.\d+)?):(.*)$/

/** Checks a plan by rules, and extracts its goal, tasks and files. No model is involved. */
export function validatePlan(text: string): PlanReport {
  const lines = planLines(text)
  const headers = taskHeaders(lines)
  const goal = goalOf(lines)
  const blocking: PlanIssue[] = []
  if (headers.length === 0) blocking.push('no_task_header')
  if (goal === null) blocking.push('no_goal')
  if (normaliseLines(text).trim().length < LENGTH_MIN) blocking.push('too_short')
  const noted: PlanIssue[] = []
  const numbers = headers.map(({ number }) => number)
  if (new Set(numbers).size < numbers.length) noted.push('duplicate_task_number')
  if (headers.some((header, index) => !hasBody(lines, header.line, headers[index + 1]?.line)))
    noted.push('task_without_body')
  return {
    isValid: blocking.length === 0,
    issues: [...blocking, ...noted],
    severity: blocking.length === 0 ? 'none' : blocking.length === 1 ? 'major' : 'critical',
    goal,
    taskCount: Math.max(1, headers.length),
    titles: headers.map(({ title }) => title),
    numbers,
    keyFiles: keyFilesOf(lines),
  }
}

export interface TaskHeader {
  line: number
  number: string
  title: string | null
}

export function taskHeaders(lines: readonly PlanLine[]): TaskHeader[] {
  return lines.flatMap(({ text, isFenced }, line) => {
    const match = isFenced ? null : TASK_HEADER.exec(text)
    return match ? [{ line, number: match[1]!, title: match[2]!.trim() || null }] : []
  })
}

function goalOf(lines: readonly PlanLine[]): string | null {
  const open = lines.filter(({ isFenced }) => !isFenced).map(({ text }) => text)
  const at = open.findIndex(text => text.includes('**Goal:**'))
  if (at >= 0) {
    const paragraphs = [open[at]!.slice(open[at]!.indexOf('**Goal:**') + '**Goal:**'.length)]
    for (const text of open.slice(at + 1)) {
      if (text.trim() === '' || /^#{1,6} /.test(text) || /^\*\*[^*]+:?\*\*/.test(text)) break
      paragraphs.push(text)
    }
    const goal = paragraphs.join(' ').replace(/\s+/g, ' ').trim()
    if (goal !== '') return goal
  }
  const title = open
    .find(text => /^# /.test(text))
    ?.slice(2)
    .trim()
    .replace(/\s*Implementation Plan$/i, '')
    .trim()
  return title ? `Implement ${title}` : null
}

function hasBody(lines: readonly PlanLine[], from: number, to: number | undefined): boolean {
  const end = to ?? lines.length
  for (let at = from + 1; at < end; at++) {
    const { text, isFenced } = lines[at]!
    if (!isFenced && /^#{1,2} /.test(text)) return false
    if (text.trim() !== '' && text.trim() !== '---') return true
  }
  return false
}

/** Files follow such a word, in backticks or with the extension of a source file. */
const FILE_LINE = /(?:^|[\s*-])(?:Create|Modify|Test|Edit|Update|Delete):\**\s*(?:`([^`]+)`|(\S+))/g
const SOURCE_FILE =
  /^[\w./@-]+\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|rb|php|cs|c|cc|cpp|h|hpp|swift|scala|sh|sql|md|json|ya?ml|toml|css|scss|html|vue|svelte|txt)$/

function keyFilesOf(lines: readonly PlanLine[]): string[] {
  const files = lines
    .filter(({ isFenced }) => !isFenced)
    .flatMap(({ text }) =>
      [...text.matchAll(FILE_LINE)].flatMap(([, quoted, bare]) => {
        // A path with `:10-20` refers to lines of a file.
        if (quoted !== undefined) return [quoted.trim().replace(/:\d+(?:-\d+)?$/, '')]
        const path = bare!.replace(/[,;]$/, '').replace(/:\d+(?:-\d+)?$/, '')
        return SOURCE_FILE.test(path) ? [path] : []
      }),
    )
  return [...new Set(files.filter(path => path !== ''))]
}

/** Found anywhere in the text: a level-3 heading also counts for higher levels. */
const PLAN_MARKERS: readonly string[] = [
  '# ',
  '## ',
  '### task',
  '### step',
  '## phase',
  '**goal:**',
  '**architecture:**',
  '**tech stack:**',
  'implementation plan',
  '```',
]

/** Whether an answer that was not written to the file may be taken as the plan. */
export function looksLikePlan(text: string): boolean {
  const plain = normaliseLines(text)
  if (plain.trim().length < 100 || taskHeaders(planLines(text)).length === 0) return false
  const low = plain.toLowerCase()
  return PLAN_MARKERS.filter(sign => low.includes(sign)).length >= 3
}
