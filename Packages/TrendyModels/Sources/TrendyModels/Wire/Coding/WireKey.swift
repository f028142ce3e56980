struct WireKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(_ name: StaticString) { stringValue = name.description }
  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
