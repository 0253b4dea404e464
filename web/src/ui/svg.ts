// The server sends drawings as SVG text. The page parses it as XML, removes everything that is not
// on the allow lists below, and only then adds the nodes. Nothing in a drawing can run, load or
// link to anything.

const ELEMENTS = new Set([
  'svg',
  'g',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'text',
  'tspan',
  'title',
  'desc',
  'defs',
  'clipPath',
  'marker',
  'linearGradient',
  'stop',
])
const ATTRIBUTES = new Set([
  'id',
  'class',
  'viewBox',
  'width',
  'height',
  'x',
  'y',
  'x1',
  'y1',
  'x2',
  'y2',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'd',
  'points',
  'transform',
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'font-family',
  'font-size',
  'font-weight',
  'font-style',
  'text-anchor',
  'dominant-baseline',
  'dx',
  'dy',
  'textLength',
  'lengthAdjust',
  'xml:space',
  'preserveAspectRatio',
  'clip-path',
  'clipPathUnits',
  'text-decoration',
  'offset',
  'stop-color',
  'data-node',
  'data-state',
  'role',
  'aria-label',
  'xmlns',
  'version',
  'letter-spacing',
])
const OWN_REFERENCE = /^url\(#[\w.-]+\)$/

interface Policy {
  createHTML(text: string): string
}

const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes
/**
 * The parser below is the only place where text becomes elements, and its result is always
 * sanitised.
 */
const policy = factory?.createPolicy('signalbox-svg', { createHTML: text => text })

/** @throws Error if the text is not SVG. */
export function parseSvg(text: string): SVGSVGElement {
  const source = policy ? policy.createHTML(text) : text
  const document_ = new DOMParser().parseFromString(source, 'image/svg+xml')
  const root = document_.documentElement
  if (root.localName !== 'svg' || document_.querySelector('parsererror'))
    throw new Error('the drawing is not valid SVG')
  sanitise(root)
  return document.importNode(root, true) as unknown as SVGSVGElement
}

function sanitise(element: Element): void {
  for (const attribute of [...element.attributes]) {
    const isPlain = ATTRIBUTES.has(attribute.name) && !/url\(|javascript:|data:/i.test(attribute.value)
    const isOwn = ATTRIBUTES.has(attribute.name) && OWN_REFERENCE.test(attribute.value)
    if (!isPlain && !isOwn) element.removeAttributeNode(attribute)
  }
  for (const child of [...element.childNodes]) {
    if (child.nodeType === Node.TEXT_NODE) continue
    const isKnown = child.nodeType === Node.ELEMENT_NODE && ELEMENTS.has((child as Element).localName)
    if (!isKnown) {
      // A link is replaced by its content.
      if (child.nodeType === Node.ELEMENT_NODE && (child as Element).localName === 'a') {
        sanitise(child as Element)
        child.replaceWith(...child.childNodes)
      } else child.remove()
    } else sanitise(child as Element)
  }
}
