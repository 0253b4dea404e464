import type { MenuSpec, Scenario, Turn } from '../scenario/types.js'

const COLOURS = [{ label: 'Red' }, { label: 'Yellow' }, { label: 'Green' }]

/** Every layout of a menu, by name. */
export const MENUS: Record<string, MenuSpec> = {
  numbered: { title: 'Signal', question: 'Which aspect should it show?', options: COLOURS },
  plain: { layout: 'plain', title: 'Signal', question: 'Which aspect should it show?', options: COLOURS },
  boxed: { layout: 'boxed', title: 'Signal', question: 'Which aspect should it show?', options: COLOURS },
  horizontal: {
    layout: 'horizontal',
    title: 'Permission required',
    question: 'Run the points test?',
    command: 'npm run points',
    options: [{ label: 'Allow once' }, { label: 'Allow always' }, { label: 'Reject' }],
  },
  multi: { title: 'Lamps', question: 'Which lamps are out?', multi: true, options: [...COLOURS, { label: 'White' }] },
  freetext: {
    title: 'Name',
    question: 'What is the station called?',
    options: [{ label: 'Northgate' }, { label: 'Southgate' }],
    freeText: 'Type another name',
  },
  wrapped: {
    title: 'Timetable',
    question: 'How should late trains be handled?',
    options: [
      {
        label:
          'Hold every connecting service at the platform until the late train has arrived and everybody has changed over, however long that may take this evening',
        detail:
          'Kind to those who change, unkind to everybody who is already sitting in the other train and looks at the clock',
      },
      {
        label:
          'Let the connecting services go on time and tell the passengers of the late train about the next one while they are still on their way',
        detail: 'Keeps the timetable',
      },
    ],
  },
  columns: {
    title: 'Route',
    question: 'Which route should be set?',
    columns: true,
    options: [
      { label: 'Main line', detail: 'the fast one, through the middle' },
      { label: 'Loop', detail: 'waits for the express' },
      { label: 'Siding', detail: 'stays for the night' },
    ],
  },
  scrolling: {
    layout: 'plain',
    title: 'Platform',
    question: 'Which platform?',
    window: 5,
    options: Array.from({ length: 14 }, (_, index) => ({ label: `Platform ${index + 1}` })),
  },
  tabs: {
    question: 'Three things about the new signal',
    pages: [
      { label: 'Colour', question: 'Which colour is the lamp?', options: COLOURS },
      {
        label: 'Extras',
        question: 'What should be fitted?',
        multi: true,
        options: [{ label: 'Bell' }, { label: 'Repeater' }, { label: 'Telephone' }],
      },
      { label: 'Post', question: 'Which post?', options: [{ label: 'Steel' }, { label: 'Wood' }] },
    ],
  },
  inline: {
    kind: 'confirm',
    layout: 'inline',
    question: 'Throw the points?',
    options: [{ label: 'Yes' }, { label: 'No' }],
    selected: 1,
  },
  password: { kind: 'input', layout: 'password', question: 'Password for the lever frame:' },
  typed: { layout: 'typed', title: 'Signal', question: 'Which aspect should it show?', options: COLOURS },
}

const turns = Object.entries(MENUS).map<Turn>(([name, menu]) => ({
  name,
  match: `/^\\s*${name}\\s*$/i`,
  steps: [
    { think: { ms: 400, label: 'Thinking of a question' } },
    { ask: menu },
    { say: { markdown: `You chose: {{answer}}` } },
  ],
}))

export const menus: Scenario = {
  name: 'menus',
  description: 'every menu layout; a prompt that names one shows it, anything else shows all in turn',
  topic: 'Every kind of menu',
  placeholder:
    'numbered, plain, boxed, horizontal, multi, freetext, wrapped, columns, scrolling, tabs, inline, password, typed, plan, quote',
  turns: [
    ...turns,
    {
      name: 'plan',
      match: '/^\\s*plan\\s*$/i',
      steps: [
        { think: { ms: 400, label: 'Planning' } },
        { plan: { markdown: '## A new signal\n\n1. dig a hole\n2. put up the **post**\n3. wire the lamp' } },
        { say: { markdown: 'Then I begin: {{answer}}' } },
      ],
    },
    {
      name: 'permission',
      match: '/^\\s*permission\\s*$/i',
      steps: [
        { tool: { name: 'Shell', kind: 'shell', command: 'echo clear', permission: true } },
        { say: { markdown: 'The signal is clear.' } },
      ],
    },
    {
      name: 'quote',
      match: '/^\\s*quote\\s*$/i',
      steps: [
        { say: { markdown: 'This is what a menu looks like:' } },
        { quote: { menu: MENUS.numbered!, as: 'code' } },
        { quote: { menu: MENUS.numbered!, as: 'say' } },
        { quote: { menu: MENUS.boxed!, as: 'tool' } },
        { say: { markdown: 'None of them was live.' } },
      ],
    },
    {
      name: 'all',
      steps: Object.values(MENUS).flatMap(menu => [
        { think: { ms: 300, label: 'Thinking of a question' } },
        { ask: menu },
      ]),
    },
  ],
}
