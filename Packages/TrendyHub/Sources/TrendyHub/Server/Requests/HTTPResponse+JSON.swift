import Foundation
import TrendyModels

extension HTTPResponse {
  init(status: Int = 200, type: String, _ body: Body, _ more: [(String, String)] = []) {
    self.init(status: status, headers: HTTPHeaders([("Content-Type", type)] + more), body: body)
  }

  static func json(written body: Data, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, type: "application/json", .data(body))
  }

  static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
    .json(written: JSONText.write(value), status: status)
  }

  static func wire(_ value: some Encodable, status: Int = 200) throws -> HTTPResponse {
    .json(written: try WireJSON.encode(value), status: status)
  }

  static func json(texts: [Data]) -> HTTPResponse {
    var body = Data(capacity: texts.reduce(2) { $0 + $1.count + 1 })
    body.append(UInt8(ascii: "["))
    for (place, text) in texts.enumerated() {
      if place > 0 { body.append(UInt8(ascii: ",")) }
      body.append(text)
    }
    body.append(UInt8(ascii: "]"))
    return .json(written: body)
  }
}
