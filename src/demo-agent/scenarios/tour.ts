import { SAMPLE_BUG } from '../sample-project.js'
import type { Scenario, Step, TodoItem } from '../scenario/types.js'

const TASKS = ['Read the project', 'Run the tests', 'Fix the discount', 'Prove it']

/** The task list with this many tasks done and the next one in progress. */
function todo(done: number): Step {
  const items = TASKS.map<TodoItem>((text, index) => ({
    text,
    status: index < done ? 'done' : index === done ? 'doing' : 'open',
  }))
  return { todo: { items } }
}

/** About 25 s: reads a project, finds its bug by a failing test, asks once, fixes it. */
export const tour: Scenario = {
  name: 'tour',
  description: 'repairs the bug of the sample project; asks once for an edit',
  topic: 'Fix the failing discount test',
  placeholder: 'Ask me to find out why the discount test fails',
  turns: [
    {
      steps: [
        {
          think: {
            ms: 3000,
            label: 'Reading the code',
            tokens: 640,
            thought: 'The failing test is about discounts: read the cart first.',
          },
        },
        { say: { markdown: 'I will look at the code first, then let the tests tell me what is wrong.' } },
        todo(0),
        { tool: { name: 'Read', kind: 'read', read: { path: 'package.json' }, ms: 600 } },
        { tool: { name: 'Read', kind: 'read', read: { path: 'src/cart.js' }, ms: 1100 } },
        todo(1),
        { think: { ms: 1300, label: 'Running the tests', tokens: 210 } },
        { tool: { name: 'Shell', kind: 'shell', command: 'npm test --silent', readOnly: true, show: 7 } },
        todo(2),
        {
          think: {
            ms: 4200,
            label: 'Comparing the numbers',
            tokens: 830,
            thought: '5990 instead of 5400: ten cents were taken off, not ten percent.',
          },
        },
        {
          say: {
            markdown: [
              '## What is wrong',
              '',
              '`total()` takes the discount off as **cents**, but the test means a *percentage*:',
              '',
              '| call | expected | got |',
              '|---|---:|---:|',
              '| `total(items, 0)` | 6000 | 6000 |',
              '| `total(items, 10)` | 5400 | 5990 |',
              '',
              'The line in question:',
              '',
              '```js',
              'const sum = subtotal(items)',
              'return sum - discountPercent // 10 cents, not 10 %',
              '```',
              '',
              'To repair it:',
              '',
              '1. take the percentage of the sum,',
              '2. round to whole cents, so that nobody pays half a cent.',
            ].join('\n'),
          },
        },
        { tool: { name: 'Edit', kind: 'edit', edit: SAMPLE_BUG, permission: true, show: 8 } },
        todo(3),
        { think: { ms: 1300, label: 'Running the tests again', tokens: 120 } },
        { tool: { name: 'Shell', kind: 'shell', command: 'npm test --silent', readOnly: true, show: 5 } },
        todo(4),
        { think: { ms: 1100, label: 'Looking at the result', tokens: 90 } },
        { tool: { name: 'Shell', kind: 'shell', command: ['git', 'diff', '--stat'], readOnly: true, show: 3 } },
        {
          say: {
            markdown:
              'The discount is a percentage now, and **all three tests pass**. I changed one line in `src/cart.js`; nothing is committed yet.',
          },
        },
      ],
    },
    {
      match: '/commit/i',
      steps: [
        { think: { ms: 700, label: 'Writing the message' } },
        {
          tool: {
            name: 'Shell',
            kind: 'shell',
            command: [
              'git',
              '-c',
              'user.name=Signalbox demo',
              '-c',
              'user.email=demo@signalbox.invalid',
              'commit',
              '--all',
              '--message',
              'Take the discount as a percentage',
            ],
            summary: 'git commit --all --message "Take the discount as a percentage"',
            permission: true,
          },
        },
        { say: { markdown: 'Committed.' } },
      ],
    },
  ],
}
