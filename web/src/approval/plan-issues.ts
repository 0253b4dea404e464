/** What the check of a plan found, as sentences; the names are the check's own. */
const ISSUES: Readonly<Record<string, string>> = {
  no_task_header: 'It has no tasks (lines such as “### Task 1: title”)',
  no_goal: 'It does not say its goal',
  too_short: 'It is very short',
  duplicate_task_number: 'Two tasks have the same number',
  task_without_body: 'A task has a title only',
}

export function planIssue(name: string): string {
  return ISSUES[name] ?? name.replaceAll('_', ' ')
}
