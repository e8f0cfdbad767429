/** By their code points from 160 on, without a gap (HTML 4.01, 24.2). */
const latin1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm " +
  "raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH " +
  "Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig " +
  "ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml " +
  "yacute thorn yuml";
/** From 913 on (HTML 4.01, 24.3); no character stands at the hyphen, and `&-;` is none. */
const greekCapitals =
  "Alpha Beta Gamma Delta Epsilon Zeta Eta Theta Iota Kappa Lambda Mu Nu Xi Omicron Pi Rho - Sigma Tau Upsilon Phi Chi Psi Omega";
/** From 945 on. */
const greekLetters =
  "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigmaf sigma tau upsilon phi chi psi omega";
/** Each name and its character: ASCII as HTML 5 names it, then the rest of HTML 4.01. */
const others =
  "amp & lt < gt > quot \" apos ' excl ! num # dollar $ percnt % lpar ( rpar ) ast * midast * plus + comma , period . sol / colon : semi ; " +
  "equals = quest ? commat @ lsqb [ lbrack [ bsol \\ rsqb ] rbrack ] Hat ^ lowbar _ UnderBar _ grave ` lcub { lbrace { verbar | vert | " +
  'rcub } rbrace } AMP & LT < GT > QUOT " OElig Œ oelig œ Scaron Š scaron š Yuml Ÿ fnof ƒ circ ˆ tilde ˜ thetasym ϑ upsih ϒ piv ϖ ndash – mdash — ' +
  "lsquo ‘ rsquo ’ sbquo ‚ ldquo “ rdquo ” bdquo „ dagger † Dagger ‡ bull • hellip … permil ‰ prime ′ Prime ″ lsaquo ‹ rsaquo › oline ‾ frasl ⁄ " +
  "euro € image ℑ weierp ℘ real ℜ trade ™ alefsym ℵ larr ← uarr ↑ rarr → darr ↓ harr ↔ crarr ↵ lArr ⇐ uArr ⇑ rArr ⇒ dArr ⇓ hArr ⇔ forall ∀ part ∂ " +
  "exist ∃ empty ∅ nabla ∇ isin ∈ notin ∉ ni ∋ prod ∏ sum ∑ minus − lowast ∗ radic √ prop ∝ infin ∞ ang ∠ and ∧ or ∨ cap ∩ cup ∪ int ∫ there4 ∴ " +
  "sim ∼ cong ≅ asymp ≈ ne ≠ equiv ≡ le ≤ ge ≥ sub ⊂ sup ⊃ nsub ⊄ sube ⊆ supe ⊇ oplus ⊕ otimes ⊗ perp ⊥ sdot ⋅ lceil ⌈ rceil ⌉ lfloor ⌊ rfloor ⌋ " +
  "lang ⟨ rang ⟩ loz ◊ spades ♠ clubs ♣ hearts ♥ diams ♦";

function counted(names: string, first: number): (readonly [string, number])[] {
  return names.split(" ").flatMap((name, index) => (name === "-" ? [] : [[name, first + index] as const]));
}

function paired(list: string): (readonly [string, number])[] {
  const words = list.split(" ");
  return words.flatMap((name, index) => (index % 2 === 0 ? [[name, (words[index + 1] as string).codePointAt(0) as number] as const] : []));
}

/** The code points of named entities: all of HTML 4.01, and those that HTML 5 has for ASCII. Without `&` and `;`. */
export const htmlEntities: ReadonlyMap<string, number> = new Map([
  ...counted(latin1, 160),
  ...counted(greekCapitals, 913),
  ...counted(greekLetters, 945),
  ...paired(others),
  ["Tab", 9],
  ["NewLine", 10],
  ["ensp", 8194],
  ["emsp", 8195],
  ["thinsp", 8201],
  ["zwnj", 8204],
  ["zwj", 8205],
  ["lrm", 8206],
  ["rlm", 8207],
]);
