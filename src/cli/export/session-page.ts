import type { Conversation, InMilliseconds } from '../../server/index.js'

type Said = Pick<InMilliseconds<Conversation>, 'messages' | 'prompts'>

export interface SharedSession extends Said {
  title: string
  agent: string
  project: string
  startedAt: number
}

/** The blocks of a message as HTML without scripts; `screen/` renders them. */
type RenderBlocks = (blocks: Said['messages'][number]['blocks']) => string

const STYLE = `
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.55 system-ui, sans-serif; color: #1c1f1e; background: #f6f6f3 }
header { margin-bottom: 2rem } h1 { font-size: 1.4rem; margin: 0 } header p { margin: .2rem 0; color: #60655f }
section { margin: 1rem 0; padding: .8rem 1rem; border-radius: .6rem; background: #fff; border: 1px solid #dedfd9; white-space: pre-wrap; overflow-wrap: anywhere }
section.prompt { background: #e9eae4; margin-left: 3rem } h2 { margin: 0 0 .3rem; font-size: .8rem; color: #60655f; font-weight: 500 }
pre { margin: .4rem 0; padding: .6rem .8rem; border-radius: .4rem; background: #f0f0ec; overflow-x: auto; white-space: pre }
code { font: .9em ui-monospace, monospace } blockquote { margin: .4rem 0; padding-left: .8rem; border-left: 3px solid #c9cac3 }
@media (prefers-color-scheme: dark) { body { color: #e6e7e2; background: #17191a } section { background: #1f2223; border-color: #34383a } section.prompt { background: #2a2e30 } pre { background: #17191a } h2, header p { color: #a2a8a2 } }`

/**
 * A session as one file that any browser opens: prompts and answers in their order, no script, no
 * connection to anything.
 */
export function sessionPage(session: SharedSession, render: RenderBlocks): string {
  const { title, agent, project, startedAt, messages, prompts } = session
  const parts = [
    ...prompts.map(({ at, text }) => ({ at, who: 'You', html: escapeHtml(text), kind: 'prompt' })),
    ...messages.map(({ at, blocks }) => ({ at, who: agent, html: withoutEmptyLines(render(blocks)), kind: 'answer' })),
  ].sort((a, b) => a.at - b.at)
  const sections = parts
    .filter(({ html }) => html.trim() !== '')
    .map(
      ({ at, who, html, kind }) =>
        `<section class="${kind}" dir="auto"><h2>${escapeHtml(who)} · ${moment(at)}</h2>${html}</section>`,
    )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(title)}</title>
<style>${STYLE}
</style>
<header><h1>${escapeHtml(title)}</h1><p>${escapeHtml(agent)} in ${escapeHtml(project)} · ${moment(startedAt)}</p></header>
${sections.join('\n') || '<p>Nothing was said yet.</p>'}
</html>
`
}

/** Blocks have margins of their own: empty lines around them would add to these. */
function withoutEmptyLines(html: string): string {
  return html.replace(/\n*(<(?:blockquote|pre)[^>]*>)/g, '$1').replace(/(<\/(?:blockquote|pre)>)\n*/g, '$1')
}

function moment(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => `&#${character.charCodeAt(0)};`)
}
