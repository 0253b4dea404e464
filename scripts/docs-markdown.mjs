// Parts of the generated pages.

export function page(title, source, ...parts) {
  const note = `This page is generated from \`${source}\` by \`npm run docs\`; do not edit it.`
  return `${[`# ${title}`, note, ...parts].map(part => part.trimEnd()).join('\n\n')}\n`
}

export function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

export function table(head, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n')
}

export function sentence(text) {
  return `${text[0].toUpperCase()}${text.slice(1)}.`
}
