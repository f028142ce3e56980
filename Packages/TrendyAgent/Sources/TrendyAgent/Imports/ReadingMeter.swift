/// Receives the progress of reading a file.
public protocol ReadingMeter: AnyObject {
  /// Size of the whole input in bytes; `nil` if unknown.
  var total: Int64? { get set }
  /// Reports that more bytes were read. An error ends the reading and is rethrown.
  func advance(by bytes: Int) throws
}
