import Foundation
import TrendyModels

/// A request to a route, with its path and query parameters.
struct HubCall: Sendable {
  let request: HTTPRequest
  private let parameters: [String: String]
  private let query: [String: String]

  init(_ request: HTTPRequest, parameters: [String: String], query: [String: String]) {
    self.request = request
    self.parameters = parameters
    self.query = query
  }

  /// Value of the path parameter `{id}`.
  var id: String {
    guard let id = parameters["id"] else { preconditionFailure("the route of \(request.path) has no {id}") }
    return id
  }

  func body() throws(Problem) -> DocumentReader {
    guard !request.body.isEmpty else { throw .invalid("the document: expected an object, found nothing") }
    return try DocumentReader(try JSONText.parse(request.body))
  }

  func document<Document: WireValue>(_ type: Document.Type) throws(Problem) -> Document {
    guard !request.body.isEmpty else { throw .invalid("the document: expected an object, found nothing") }
    return try JSONText.read(type, from: request.body)
  }

  func text(_ name: String) -> String? { query[name] }

  func integer(_ name: String, in range: ClosedRange<Int64>, default standard: Int64) throws(Problem) -> Int64 {
    try optionalInteger(name, in: range) ?? standard
  }

  func optionalInteger(_ name: String, in range: ClosedRange<Int64>) throws(Problem) -> Int64? {
    guard let text = query[name] else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw .invalid(
        "\(name): expected a whole number from \(range.lowerBound) to \(range.upperBound), found \"\(text.prefix(40))\""
      )
    }
    return number
  }

  func boolean(_ name: String) throws(Problem) -> Bool {
    switch query[name] {
    case nil, "false"?: return false
    case "true"?: return true
    case let text?: throw .invalid("\(name): expected true or false, found \"\(text.prefix(40))\"")
    }
  }
}
