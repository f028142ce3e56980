/// Receives the progress of reading a file.
public protocol ReadingMeter: AnyObject {
  /// Size of the whole input in bytes, or `nil` if unknown.
  var total: Int64? { get set }
  /// Called after more bytes have been read. An error stops the reader, which rethrows it.
  func advance(by bytes: Int) throws
}
