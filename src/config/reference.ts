import { describeNarrower } from './narrow.js'
import { environmentNameOf, KNOWN_SETTINGS, type KnownSetting } from './schema.js'
import { describeValue } from './show.js'
import { describeExpected } from './value.js'

const INTRODUCTION = `# Settings

This page is generated from \`src/config/\`; do not edit it.

A value comes from the first of these sources that sets it: flags, environment variables, \`.signalbox.toml\` of a trusted project (only
the keys that a project may set), \`config.toml\` in the configuration directory (\`signalbox paths\`), the default.
\`signalbox config show --origin\` shows each value and its source. An unknown key or an invalid value is an error; then nothing in the file
is applied.

A duration is a number in the unit at the end of its key (seconds if there is none), or text such as \`"500ms"\`, \`"90s"\`, \`"5m"\`, \`"2h"\`.
\`none\` is written \`"none"\`. \`*\` in a key is a name that you choose. The environment variable of a key is \`SIGNALBOX_\` and the key in
capitals, with \`_\` for each dot; lists are comma-separated. Keys with a \`*\` have no variable.
`

/** The reference page of all settings, as Markdown. */
export function configReference(): string {
  const sections = new Map<string, KnownSetting[]>()
  for (const known of KNOWN_SETTINGS) {
    const name = known.segments[0]!
    sections.set(name, [...(sections.get(name) ?? []), known])
  }
  const pages = [...sections].map(([name, settings]) =>
    [
      `## ${name}`,
      '',
      '| key | takes | default | a project may | variable |',
      '|---|---|---|---|---|',
      ...settings.map(describeSetting),
      '',
    ].join('\n'),
  )
  return [INTRODUCTION, ...pages].join('\n')
}

function describeSetting(known: KnownSetting): string {
  const { pattern, setting } = known
  const variable = environmentNameOf(known)
  const cells = [
    `\`${pattern}\`<br>${setting.about}`,
    describeExpected(pattern, setting),
    code(describeValue(setting, setting.default)),
    describeNarrower(setting),
    variable ? `\`${variable}\`` : '–',
  ]
  return `| ${cells.map(cell => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

/** A code span; text that contains a back-quote needs longer fences. */
function code(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}
