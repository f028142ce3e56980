/// Members of one object, with lookup by name. Records which members were found.
struct JSONMembers {
  let node: JSONNode
  /// Token where the next search begins. Lookups in document order succeed immediately.
  private var token: Int
  private var place = 0
  /// Bloom filter of the names in the object, which rules out most absent names without a search.
  private var sorts: UInt64 = 0
  private var found: UInt64 = 0
  /// Indices of found members, from 64. ``found`` has one bit for each lower index.
  private var foundBeyond: Set<Int> = []

  init(_ node: JSONNode) throws(JSONError) {
    guard node.token.kind == .object else { throw node.mismatch("an object") }
    self.node = node
    token = node.index + 1
    let (tokens, bytes) = (node.document.tokens, node.document.bytes)
    var name = token
    for _ in 0..<node.token.length {
      let length = Int(tokens[name].length)
      if length > 0 { sorts |= Self.sort(bytes + Int(tokens[name].offset), length) }
      name = Int(tokens[name + 1].next)
    }
  }

  mutating func find(_ name: StaticString) -> JSONNode? {
    let length = name.utf8CodeUnitCount
    guard sorts & Self.sort(name.utf8Start, length) != 0 else { return nil }
    let (tokens, bytes) = (node.document.tokens, node.document.bytes)
    let count = Int(node.token.length)
    for _ in 0..<count {
      let candidate = tokens[token]
      let here = (token: token, place: place)
      token = Int(tokens[token + 1].next)
      place += 1
      if place == count { (token, place) = (node.index + 1, 0) }
      guard Self.isEqual(candidate, bytes, name, length) else { continue }
      if here.place < 64 { found |= 1 << UInt64(here.place) } else { foundBeyond.insert(here.place) }
      return JSONNode(document: node.document, index: here.token + 1)
    }
    return nil
  }

  /// Returns names and values of all members that no lookup has found so far.
  func others() -> [(name: String, value: JSONNode)] {
    let count = Int(node.token.length)
    guard found.nonzeroBitCount + foundBeyond.count < count else { return [] }
    let (tokens, bytes) = (node.document.tokens, node.document.bytes)
    var others: [(name: String, value: JSONNode)] = []
    var name = node.index + 1
    for place in 0..<count {
      if place < 64 ? found & 1 << UInt64(place) == 0 : !foundBeyond.contains(place) {
        let text = JSONNode.string(of: tokens[name], in: bytes)
        others.append((text, JSONNode(document: node.document, index: name + 1)))
      }
      name = Int(tokens[name + 1].next)
    }
    return others
  }

  /// Returns the filter bit of a name. `length` is the length of the name in bytes, at least 1.
  private static func sort(_ name: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
    1 << UInt64((Int(name[0]) &* 5 ^ Int(name[length - 1]) &* 3 ^ length) & 63)
  }

  private static func isEqual(
    _ token: JSONToken, _ bytes: UnsafePointer<UInt8>, _ name: StaticString, _ length: Int
  ) -> Bool {
    guard token.isPlain else { return JSONNode.string(of: token, in: bytes) == name.description }
    guard token.length == length else { return false }
    let text = bytes + Int(token.offset)
    for index in 0..<length where text[index] != name.utf8Start[index] { return false }
    return true
  }
}
