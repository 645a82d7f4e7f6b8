// Implements study/io/running.hpp.
#include "study/io/running.hpp"

#include <exception>

#include "core/error.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"

namespace gvf::study {

int exit_code_of_running(const std::function<int()>& body) {
  try {
    return body();
  } catch (const BadInput& error) {
    note(error.what());
    return exit_bad_input;
  } catch (const MachineLacks& error) {
    note(error.what());
    return exit_machine_lacks;
  } catch (const Interrupted& error) {
    note(error.what());
    return exit_interrupted;
  } catch (const CudaError& error) {
    note(error.what());
    return exit_code_of(error.code());
  } catch (const std::exception& error) {
    note(error.what());
    return exit_check_failed;
  }
}

}  // namespace gvf::study
