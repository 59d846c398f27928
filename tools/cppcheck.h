/* What cppcheck has to know of libraries whose headers it does not read. */
#define json_array_foreach(array, index, value) \
    for (index = 0; (value = json_array_get(array, index)) != 0; index++)
#define json_object_foreach(object, key, value)                                             \
    for (key = json_object_iter_key(object); key && (value = json_object_get(object, key)); \
         key = json_object_iter_key(object))
