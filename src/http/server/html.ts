// HTML as tagged templates: values are escaped unless they are HTML themselves, lists are joined, and
// undefined and false are omitted.

export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Value = string | number | Html | undefined | false | readonly Value[]

export function html(texts: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(texts.reduce((all, text, i) => all + escaped(values[i - 1]) + text))
}

function escaped(value: Value): string {
  if (value === undefined || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'object') return value.map(escaped).join('')
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
